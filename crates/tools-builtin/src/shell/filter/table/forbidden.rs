//! Programs that a workspace never needs.

use super::{Row, ruled};
use crate::shell::filter::verdict::Rule;

pub(super) const PROGRAMS: &[Row] = &[
    ruled(
        "sudo sudoedit su doas pkexec runuser setpriv gosu su-exec sg newgrp chroot unshare nsenter capsh run0 calife sudo-rs",
        Rule::Privilege,
    ),
    ruled(
        "visudo passwd chpasswd useradd usermod userdel groupadd groupmod groupdel adduser deluser vipw vigr setcap gpasswd chsh chfn",
        Rule::Privilege,
    ),
    ruled(
        "mkfs mkfs.f2fs btrfs mkfs.ext2 mkfs.ext3 mkfs.ext4 mkfs.xfs mkfs.btrfs mkfs.vfat mkfs.fat mkfs.ntfs mke2fs mkswap",
        Rule::Disk,
    ),
    ruled(
        "fdisk sfdisk cfdisk parted gdisk sgdisk wipefs blkdiscard hdparm debugfs tune2fs resize2fs fsck e2fsck badblocks",
        Rule::Disk,
    ),
    ruled(
        "cryptsetup lvremove vgremove pvremove lvcreate vgcreate pvcreate mdadm zpool zfs dmsetup losetup nvme diskutil ddrescue",
        Rule::Disk,
    ),
    ruled(
        "shutdown reboot halt poweroff init telinit kexec systemctl service rc-service initctl launchctl",
        Rule::SystemControl,
    ),
    ruled(
        "mount umount swapon swapoff pivot_root insmod rmmod modprobe sysctl setenforce depmod kmod fusermount fusermount3",
        Rule::SystemControl,
    ),
    ruled(
        "iptables ip6tables ebtables arptables nft ufw firewall-cmd killall5 hwclock systemd-run loginctl machinectl",
        Rule::SystemControl,
    ),
    ruled(
        "crontab at atd batch anacron chattr update-rc.d chkconfig rc-update",
        Rule::Persistence,
    ),
    ruled("ssh-copy-id", Rule::Persistence),
];
