# Sourced by with-server: nginx that answers everything at once.
# shellcheck shell=bash disable=SC2034,SC2154

picks_port=no have_credentials=''

server_prepare() {
  [ -z "$config" ] || die -64 "nginx-null has no configurations"
  PATH=$PATH:/usr/sbin # where Debian keeps it
  have nginx || unavailable "nginx is not installed"
}

server_command() {
  sed "s/127\.0\.0\.1:5999/127.0.0.1:$port/" "$configs/nginx-null.conf" >"$folder/nginx.conf"
  command=(nginx -p "$folder" -c "$folder/nginx.conf" -e stderr)
}

server_answers() { [ "$(http_status GET "$port" /)" = 200 ]; }
