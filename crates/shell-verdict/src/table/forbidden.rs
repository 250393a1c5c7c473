//! Programs that are forbidden, unless they only display.

use super::{Row, ruled};
use crate::verdict::CommandRule as Rule;

pub(super) const PROGRAMS: &[Row] = &[
    ruled("at atd batch anacron chattr update-rc.d chkconfig rc-update ssh-copy-id", Rule::Persistence),
    ruled("crontab", Rule::Persistence).displays("-l"),
    ruled(
        "cryptsetup lvremove vgremove pvremove lvcreate vgcreate pvcreate mdadm zpool zfs dmsetup losetup nvme diskutil ddrescue",
        Rule::Disk,
    ),
    ruled(
        "fdisk sfdisk cfdisk parted gdisk sgdisk wipefs blkdiscard hdparm debugfs tune2fs resize2fs fsck e2fsck badblocks mknod",
        Rule::Disk,
    ),
    ruled(
        "iptables ip6tables ebtables arptables nft ufw firewall-cmd killall5 hwclock systemd-run loginctl machinectl",
        Rule::SystemControl,
    ),
    ruled(
        "mkfs mkfs.f2fs btrfs mkfs.ext2 mkfs.ext3 mkfs.ext4 mkfs.xfs mkfs.btrfs mkfs.vfat mkfs.fat mkfs.ntfs mke2fs mkswap",
        Rule::Disk,
    ),
    ruled("mount", Rule::SystemControl).displays("() -l --version"),
    ruled("pass secret-tool kwallet-query", Rule::Secret),
    ruled("shutdown reboot halt poweroff init telinit kexec rc-service initctl", Rule::SystemControl),
    ruled(
        "sudo sudoedit su doas pkexec runuser setpriv gosu su-exec sg newgrp chroot unshare nsenter capsh run0 calife sudo-rs",
        Rule::Privilege,
    ),
    ruled("sysctl", Rule::SystemControl).displays("-a --all"),
    ruled("systemctl service launchctl", Rule::SystemControl).displays(
        "() status list list-units list-unit-files list-timers is-active is-enabled is-failed show cat --status-all --version",
    ),
    ruled(
        "umount swapon swapoff pivot_root insmod rmmod modprobe setenforce depmod kmod fusermount fusermount3",
        Rule::SystemControl,
    ),
    ruled(
        "visudo passwd chpasswd useradd usermod userdel groupadd groupmod groupdel adduser deluser vipw vigr setcap gpasswd chsh chfn",
        Rule::Privilege,
    ),
];
