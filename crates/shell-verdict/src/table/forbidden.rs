//! Programs that are forbidden, except for the forms that only display.

use super::{Operands, Row, row, ruled};
use crate::verdict::CommandRule as Rule;

const CONTROLS: &str = "controls the machine or its services";

pub(super) const PROGRAMS: &[Row] = &[
    ruled("at atd batch anacron chattr update-rc.d chkconfig rc-update ssh-copy-id", Rule::Persistence),
    row("crontab", Operands::AtMost(0), "-l").needs("-l").under(Rule::Inspect).otherwise(Rule::Persistence, "installs something that runs later"),
    ruled("cryptsetup lvremove vgremove pvremove lvcreate vgcreate pvcreate mdadm zpool zfs dmsetup losetup nvme diskutil ddrescue fdisk sfdisk cfdisk parted gdisk sgdisk wipefs blkdiscard hdparm debugfs tune2fs resize2fs fsck e2fsck badblocks mknod mkfs mkfs.f2fs btrfs mkfs.ext2 mkfs.ext3 mkfs.ext4 mkfs.xfs mkfs.btrfs mkfs.vfat mkfs.fat mkfs.ntfs mke2fs mkswap", Rule::Disk),
    ruled("iptables ip6tables ebtables arptables nft ufw firewall-cmd killall5 hwclock systemd-run loginctl machinectl shutdown reboot halt poweroff init telinit kexec rc-service initctl umount swapon swapoff pivot_root insmod rmmod modprobe setenforce depmod kmod fusermount fusermount3", Rule::SystemControl),
    row("launchctl", Operands::AtMost(1), "").needs("list").under(Rule::Inspect).otherwise(Rule::SystemControl, CONTROLS),
    row("mount", Operands::AtMost(0), "-l").under(Rule::Inspect).otherwise(Rule::SystemControl, CONTROLS),
    ruled("pass secret-tool kwallet-query", Rule::Secret),
    row("service", Operands::AtMost(0), "--status-all").under(Rule::Inspect).otherwise(Rule::SystemControl, CONTROLS),
    ruled("sudo sudoedit su doas pkexec runuser setpriv gosu su-exec sg newgrp chroot unshare nsenter capsh run0 calife sudo-rs visudo passwd chpasswd useradd usermod userdel groupadd groupmod groupdel adduser deluser vipw vigr setcap gpasswd chsh chfn", Rule::Privilege),
    row("sysctl", Operands::AtMost(0), "-an --all --names").needs("-a --all").under(Rule::Inspect).otherwise(Rule::SystemControl, CONTROLS),
    row("systemctl", Operands::AtMost(0), "").under(Rule::Inspect),
    row("systemctl", Operands::Any, "-alq --all --full --no-pager --quiet --user --system -ptn= --property= --type= --state= --lines=").needs("status list-units list-unit-files list-timers list-sockets is-active is-enabled is-failed show cat --version").under(Rule::Inspect).otherwise(Rule::SystemControl, CONTROLS),
];
