import unit from "../../packaging/kanalog.service" with { type: "text" };

/** Paths and names on Debian's packages of PostgreSQL, Patroni, etcd and HAProxy. */
const POSTGRES = "/var/lib/postgresql";
const SOCKETS = "/var/run/postgresql";

export interface Deployment {
  hosts: readonly string[];
  /** Major version of PostgreSQL. */
  postgres: number;
  passwords: Record<"superuser" | "replication" | "kanalog", string>;
  secret: string;
}

/**
 * Files for machines of which each runs etcd, PostgreSQL under Patroni, a node, and HAProxy in front of all
 * nodes. @returns contents by path, of which the first part is the machine's name
 */
export function deploymentFiles(deployment: Deployment): Map<string, string> {
  const files = new Map<string, string>();
  for (const host of deployment.hosts) {
    const add = (name: string, content: string) => files.set(`${host}/${name}`, content);
    add("etc/default/etcd", etcdFile(host, deployment));
    add("etc/patroni/kanalog.yml", patroniFile(host, deployment));
    add("etc/patroni/create-database.sh", createDatabaseFile(deployment));
    add("etc/systemd/system/patroni-kanalog.service", PATRONI_UNIT);
    add("etc/haproxy/haproxy.cfg", haproxyFile(deployment));
    add("etc/kanalog.env", kanalogFile(host, deployment));
    add("etc/systemd/system/kanalog.service", unit);
  }
  return files;
}

/** A name within Patroni and etcd. */
const memberOf = (host: string): string => `node-${host.replaceAll(/[^a-zA-Z0-9]/g, "-")}`;

function etcdFile(host: string, { hosts }: Deployment): string {
  const peers = hosts.map((one) => `${memberOf(one)}=http://${one}:2380`).join(",");
  return `# Three or more, an odd number. Only these machines may reach ports 2379 and 2380.
ETCD_NAME=${memberOf(host)}
ETCD_DATA_DIR=/var/lib/etcd/kanalog
ETCD_LISTEN_CLIENT_URLS=http://${host}:2379
ETCD_ADVERTISE_CLIENT_URLS=http://${host}:2379
ETCD_LISTEN_PEER_URLS=http://${host}:2380
ETCD_INITIAL_ADVERTISE_PEER_URLS=http://${host}:2380
ETCD_INITIAL_CLUSTER=${peers}
ETCD_INITIAL_CLUSTER_TOKEN=kanalog
# For Patroni's \`etcd:\`. etcd 3.6 has it no more: delete this line, and write etcd3: in kanalog.yml.
ETCD_ENABLE_V2=true
`;
}

function patroniFile(host: string, { hosts, postgres, passwords }: Deployment): string {
  const access = hosts.flatMap((one) => {
    const from = /^[\d.]+$/.test(one) ? `${one}/32` : one;
    return [
      `    - host replication replicator ${from} scram-sha-256`,
      `    - host all all ${from} scram-sha-256`,
    ];
  });
  return `scope: kanalog
name: ${memberOf(host)}
restapi:
  listen: ${host}:8008
  connect_address: ${host}:8008
# Patroni 3.0.3 or newer may use etcd3: instead. An older one takes the lock back from its successor with it.
etcd:
  hosts: ${hosts.map((one) => `${one}:2379`).join(",")}
bootstrap:
  dcs:
    ttl: 20
    loop_wait: 2
    retry_timeout: 5
    maximum_lag_on_failover: 1048576
    # A commit is on two servers before it is acknowledged.
    synchronous_mode: true
    # The primary goes on while etcd is away, as long as all others answer it.
    failsafe_mode: true
    postgresql:
      use_pg_rewind: true
      parameters:
        max_connections: 200
        wal_log_hints: "on"
        wal_keep_size: 512MB
  initdb:
    - encoding: UTF8
    - locale: C.UTF-8
    - data-checksums
  pg_hba:
    - local all all peer
${access.join("\n")}
  post_bootstrap: /bin/sh /etc/patroni/create-database.sh
postgresql:
  listen: ${host}:5432
  connect_address: ${host}:5432
  data_dir: ${POSTGRES}/${postgres}/kanalog
  bin_dir: /usr/lib/postgresql/${postgres}/bin
  authentication:
    superuser:
      username: postgres
      password: ${passwords.superuser}
    replication:
      username: replicator
      password: ${passwords.replication}
    rewind:
      username: postgres
      password: ${passwords.superuser}
  parameters:
    unix_socket_directories: ${SOCKETS}
    password_encryption: scram-sha-256
`;
}

function createDatabaseFile({ passwords }: Deployment): string {
  return `# Run once by Patroni on the first primary, with its address.
set -e
psql "$1" -v ON_ERROR_STOP=1 <<SQL
CREATE ROLE kanalog LOGIN PASSWORD '${passwords.kanalog}';
GRANT pg_monitor TO kanalog;
SQL
psql "$1" -v ON_ERROR_STOP=1 -c "CREATE DATABASE kanalog OWNER kanalog"
`;
}

const PATRONI_UNIT = `[Unit]
Description=PostgreSQL of Kanalog, under Patroni
Wants=network-online.target time-sync.target
After=network-online.target time-sync.target etcd.service

[Service]
User=postgres
ExecStart=/usr/bin/patroni /etc/patroni/kanalog.yml
ExecReload=/bin/kill -s HUP $MAINPID
KillMode=process
Restart=on-failure
RestartSec=2
TimeoutStopSec=60
LimitNOFILE=65536

[Install]
WantedBy=multi-user.target
`;

function haproxyFile({ hosts }: Deployment): string {
  return `defaults
  mode http
  timeout connect 5s
  timeout client 60s
  timeout server 60s
  # A failed node gets no requests; another node answers instead.
  option redispatch
  retries 2
  option forwardfor
frontend kanalog
  bind :80
  default_backend nodes
backend nodes
  # A key stays on one node while that is ready: its rate is exact, and its commits are shared.
  balance hdr(Authorization)
  hash-type consistent
  option httpchk GET /readyz
  default-server check inter 1s fall 2 rise 1
${hosts.map((host) => `  server ${memberOf(host)} ${host}:8080`).join("\n")}
`;
}

function kanalogFile(host: string, { hosts, passwords, secret }: Deployment): string {
  const servers = hosts.map((one) => `${one}:5432`).join(",");
  return `KANALOG_CLUSTER=postgres://kanalog:${passwords.kanalog}@${servers}/kanalog
KANALOG_NODE=${memberOf(host)}
KANALOG_SECRET=${secret}
KANALOG_HOST=${host}
KANALOG_PORT=8080
# HAProxy passes on the client's address; nobody else may reach port 8080.
KANALOG_TRUST_PROXY=true
KANALOG_BASE_URL=http://${hosts[0]}
`;
}
