# An empty Debian in namespaces of its own: its programs, its systemd, loopback, and nothing set. Lives until it is killed.
set -eu
root=$1 checkout=$2 release=$3 group=$4
mount --make-rprivate /
mount -t tmpfs -o mode=755 machine "$root"
cd "$root"
mkdir -p usr proc sys dev etc/haproxy etc/systemd/system etc/alternatives opt root run srv/world srv/release tmp \
  var/lib/haproxy/dev var/lib/postgresql var/log/nginx var/lib/nginx home
mount -t tmpfs -o mode=755 run run
mount -t tmpfs -o mode=755 dev dev
mkdir dev/shm dev/pts run/postgresql
ln -s ../run var/run
mount --bind /usr usr
mount -o remount,bind,ro usr
mount -t tmpfs -o mode=755 local usr/local
mkdir usr/local/bin usr/local/sbin
for name in bin sbin lib lib64; do [ ! -e "/$name" ] || ln -s "usr/$name" "$name"; done
mount -t proc proc proc
for name in null zero full random urandom tty; do
  : > "dev/$name"
  mount --bind "/dev/$name" "dev/$name"
done
ln -s /proc/self/fd dev/fd
mount -t tmpfs -o mode=1777 shared dev/shm
mount -t devpts -o newinstance,ptmxmode=0666,mode=620 terminals dev/pts
ln -s pts/ptmx dev/ptmx
mount -t sysfs -o ro sysfs sys
mount -t cgroup2 groups sys/fs/cgroup
chmod 1777 tmp
mount --bind /etc/alternatives etc/alternatives
for name in nginx pam.d security login.defs; do [ ! -e "/etc/$name" ] || cp -r "/etc/$name" etc/; done
mount --bind "$checkout" srv/world
mount -o remount,bind,ro srv/world
mount --bind "$release" srv/release
cat > etc/passwd <<'TEXT'
root:x:0:0:root:/root:/bin/sh
www-data:x:33:33:www-data:/var/www:/usr/sbin/nologin
postgres:x:101:104:PostgreSQL:/var/lib/postgresql:/bin/sh
haproxy:x:103:106::/var/lib/haproxy:/usr/sbin/nologin
messagebus:x:104:107::/nonexistent:/usr/sbin/nologin
nobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin
TEXT
cat > etc/group <<'TEXT'
root:x:0:
www-data:x:33:
postgres:x:104:
haproxy:x:106:
messagebus:x:107:
systemd-journal:x:108:
nogroup:x:65534:
TEXT
echo '127.0.0.1 localhost db.internal bridge.internal api.company.example' > etc/hosts
echo 'passwd: files
group: files
hosts: files' > etc/nsswitch.conf
printf 'global\n    daemon\n' > etc/haproxy/haproxy.cfg
# An empty machine-id would be a first start, at which all that the packages of this machine bring is enabled.
printf '%032x\n' $$ > etc/machine-id
ln -s /usr/lib/systemd/system/multi-user.target etc/systemd/system/default.target
for unit in getty.target systemd-logind.service; do ln -s /dev/null "etc/systemd/system/$unit"; done
# The kernel is the one of all: nothing is set or mounted there.
mount --bind proc/sys proc/sys
mount -o remount,bind,ro proc/sys
for unit in kmod-static-nodes modprobe@ systemd-modules-load systemd-remount-fs; do
  ln -s /dev/null "etc/systemd/system/$unit.service"
done
for path in dev-hugepages dev-mqueue sys-fs-fuse-connections sys-kernel-config sys-kernel-debug sys-kernel-tracing; do
  ln -s /dev/null "etc/systemd/system/$path.mount"
done
chown 101:104 var/lib/postgresql run/postgresql
ip link set lo up
echo ready
# systemd has a group of its own, and sees no other.
mkdir "sys/fs/cgroup/$group"
echo 0 > "sys/fs/cgroup/$group/cgroup.procs"
umount sys/fs/cgroup
# What systemd mounts for a unit, as its credentials, is seen by the unit.
exec unshare --cgroup --ipc --uts sh -c 'mount -t cgroup2 groups sys/fs/cgroup
  mount --make-rshared .
  exec env -i container=namespace PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin chroot . /usr/lib/systemd/systemd'
