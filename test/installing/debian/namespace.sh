# An empty Debian in namespaces of its own: its programs, loopback, and nothing set. Lives until it is killed.
set -eu
root=$1 checkout=$2 release=$3
mount --make-rprivate /
mount -t tmpfs -o mode=755 machine "$root"
cd "$root"
mkdir -p usr proc dev/shm etc/haproxy etc/systemd/system etc/alternatives opt root run/postgresql run/systemd/system \
  srv/world srv/release tmp var/lib/haproxy/dev var/lib/postgresql var/log/nginx var/lib/nginx home
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
nobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin
TEXT
cat > etc/group <<'TEXT'
root:x:0:
www-data:x:33:
postgres:x:104:
haproxy:x:106:
nogroup:x:65534:
TEXT
echo '127.0.0.1 localhost db.internal bridge.internal api.company.example' > etc/hosts
echo 'passwd: files
group: files
hosts: files' > etc/nsswitch.conf
printf 'global\n    daemon\n' > etc/haproxy/haproxy.cfg
printf '#!/bin/sh\nexec /srv/world/node_modules/.bin/node /srv/world/test/installing/debian/systemctl.ts "$@"\n' \
  > usr/local/sbin/systemctl
chmod 755 usr/local/sbin/systemctl
chown 101:104 var/lib/postgresql run/postgresql
ip link set lo up
echo ready
# The first process takes in what others leave.
exec chroot . /bin/sh -c 'while :; do sleep 3600 & wait; done'
