//! Programs that are always forbidden.

use super::{Row, ruled};
use crate::verdict::CommandRule;

pub(super) const PROGRAMS: &[Row] = &[
    ruled(
        "sudo sudoedit su doas pkexec runuser setpriv gosu su-exec sg newgrp chroot unshare nsenter capsh run0 calife sudo-rs",
        CommandRule::Privilege,
    ),
    ruled(
        "visudo passwd chpasswd useradd usermod userdel groupadd groupmod groupdel adduser deluser vipw vigr setcap gpasswd chsh chfn",
        CommandRule::Privilege,
    ),
    ruled(
        "mkfs mkfs.f2fs btrfs mkfs.ext2 mkfs.ext3 mkfs.ext4 mkfs.xfs mkfs.btrfs mkfs.vfat mkfs.fat mkfs.ntfs mke2fs mkswap",
        CommandRule::Disk,
    ),
    ruled(
        "fdisk sfdisk cfdisk parted gdisk sgdisk wipefs blkdiscard hdparm debugfs tune2fs resize2fs fsck e2fsck badblocks",
        CommandRule::Disk,
    ),
    ruled(
        "cryptsetup lvremove vgremove pvremove lvcreate vgcreate pvcreate mdadm zpool zfs dmsetup losetup nvme diskutil ddrescue",
        CommandRule::Disk,
    ),
    ruled(
        "shutdown reboot halt poweroff init telinit kexec systemctl service rc-service initctl launchctl",
        CommandRule::SystemControl,
    ),
    ruled(
        "mount umount swapon swapoff pivot_root insmod rmmod modprobe sysctl setenforce depmod kmod fusermount fusermount3",
        CommandRule::SystemControl,
    ),
    ruled(
        "iptables ip6tables ebtables arptables nft ufw firewall-cmd killall5 hwclock systemd-run loginctl machinectl",
        CommandRule::SystemControl,
    ),
    ruled(
        "crontab at atd batch anacron chattr update-rc.d chkconfig rc-update",
        CommandRule::Persistence,
    ),
    ruled("ssh-copy-id", CommandRule::Persistence),
];
