#!/bin/sh
# Makes the files of this folder anew: a CA and three leaf certificates, each with its key after it.
# With `openssl ca`, since it alone can set when a certificate begins in Debian 12's version.
set -eu
cd "$(dirname "$0")"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

: >"$work/index"
cat >"$work/ca.conf" <<END
[ca]
default_ca = test_ca
[test_ca]
database = $work/index
new_certs_dir = $work
rand_serial = yes
unique_subject = no
default_md = sha256
policy = any
[any]
commonName = supplied
END

# request <name> <common name>
request() {
  openssl req -new -newkey ec -pkeyopt ec_paramgen_curve:P-256 -noenc \
    -subj "/CN=$2" -keyout "$work/$1.key" -out "$work/$1.csr"
}

# sign <name> <begin> <end> <options of openssl ca>...; reads the extensions from standard input
sign() {
  name=$1 begin=$2 end=$3
  shift 3
  cat >"$work/$name.ext"
  openssl ca -batch -notext -config "$work/ca.conf" -in "$work/$name.csr" -out "$work/$name.pem" \
    -extfile "$work/$name.ext" -startdate "$begin" -enddate "$end" -keyfile "$work/ca.key" "$@"
}

# leaf <name> <subjectAltName> <begin> <end>
leaf() {
  request "$1" "Kanalog test receiver"
  printf 'subjectAltName=%s\nextendedKeyUsage=serverAuth\n' "$2" |
    sign "$1" "$3" "$4" -cert "$work/ca.pem"
  cat "$work/$1.pem" "$work/$1.key" >"$1.pem"
}

request ca "Kanalog test CA"
printf 'basicConstraints=critical,CA:TRUE\nkeyUsage=critical,keyCertSign,cRLSign\n' |
  sign ca 20200101000000Z 21200101000000Z -selfsign
cp "$work/ca.pem" ca.pem

reached=DNS:receiver.test,DNS:localhost,DNS:*.receiver.test,IP:127.0.0.1,IP:::1,IP:8.8.4.4
leaf receiver "$reached" 20200101000000Z 21200101000000Z
leaf other-name DNS:other.test 20200101000000Z 21200101000000Z
leaf expired "$reached" 20200101000000Z 20210101000000Z
