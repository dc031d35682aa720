import { Command, InvalidArgumentError, Option } from "commander";
import type { ClusterCommands } from "../../../app/cluster-commands.ts";
import { readConfig } from "../../../config.ts";
import { type AsJson, type CommandContext, jsonOption, parseId } from "../command-context.ts";
import { printList, printObject } from "../print.ts";
import { requireFile } from "../with-domains.ts";
import { printFindings } from "./doctor.ts";

const LEFT =
  "The cluster continues without this file, which does not get anything that the nodes count or change from now on. To move for good, stop all nodes first.";

const SENT_AHEAD =
  "There is no cluster yet: a process uses the file. Stop it, and run this command again, which sends only what has changed since.";

interface FromOptions extends AsJson {
  from?: string;
}

const fromOption = (): Option =>
  new Option(
    "--from <path>",
    "backup of a node's file, or a folder of backups: only what it lacks is copied",
  );

interface FilesOptions extends AsJson {
  hosts: string[];
  postgres: number;
  to: string;
}

const HOSTS_MIN = 3;

/** Parses machines' names or addresses: etcd decides by majority, so there must be three or more. */
function hostNames(text: string): string[] {
  const hosts = text.split(",");
  const isGood = hosts.every((host) => /^[a-zA-Z0-9][a-zA-Z0-9.-]*$/.test(host));
  if (!isGood || new Set(hosts).size < Math.max(HOSTS_MIN, hosts.length)) {
    throw new InvalidArgumentError("Give three or more different names or IPv4 addresses.");
  }
  return hosts;
}

export function clusterCommand(context: CommandContext): Command {
  const { output } = context;
  const commands = (): { path: string; cluster: ClusterCommands } => {
    const config = readConfig(context.environment);
    requireFile(config);
    return { path: config.databasePath, cluster: context.cluster(config, context.ports(config)) };
  };

  const init = new Command("init")
    .description("create a cluster from a database file, which becomes the first node's copy")
    .requiredOption(
      "--from <file>",
      "the database file; while it is served, its rows are sent ahead",
    )
    .addOption(jsonOption())
    .action(async ({ from, json }: AsJson & { from: string }) => {
      const { rows, isMade } = await commands().cluster.init(from);
      printObject(output, { file: from, rows, created: isMade }, json);
      if (!isMade) output.note(SENT_AHEAD);
    });
  const join = new Command("join")
    .description("create this node's copy, in a new file at KANALOG_DB")
    .addOption(fromOption())
    .addOption(jsonOption())
    .action(async ({ from, json }: FromOptions) => {
      const { path, cluster } = commands();
      printObject(output, { path, version: await cluster.join(from) }, json);
    });
  const rebuild = new Command("rebuild")
    .description("recreate this node's copy; the old one is kept beside it")
    .addOption(fromOption())
    .addOption(jsonOption())
    .action(async ({ from, json }: FromOptions) => {
      const { path, cluster } = commands();
      const { version, keptAs } = await cluster.rebuild(from);
      printObject(output, { path, version, kept_as: keptAs }, json);
    });
  const leave = new Command("leave")
    .description("write the cluster's data to a new file, a database of its own")
    .requiredOption("--to <file>", "the new file; an existing one is refused")
    .addOption(jsonOption())
    .action(async ({ to, json }: AsJson & { to: string }) => {
      printObject(output, { path: to, version: await commands().cluster.leave(to) }, json);
      output.note(LEFT);
    });
  const forget = new Command("forget")
    .description("remove a lost node from the list, so that nothing waits for it")
    .argument("<node>", "its name")
    .addOption(jsonOption())
    .action(async (name: string, { json }: AsJson) => {
      await commands().cluster.forget(name);
      printObject(output, { forgotten: name }, json);
    });
  const status = new Command("status")
    .description("list the nodes, and how up to date their copies are")
    .addOption(jsonOption())
    .action(async ({ json }: AsJson) => {
      const nodes = (await commands().cluster.status()).map((one) => ({
        node: one.node,
        version: one.version,
        behind: one.versionsBehind,
        silent_s: one.silentS,
        program: one.program,
      }));
      await printList(output, [nodes], json);
    });
  const doctor = new Command("doctor")
    .description("examine PostgreSQL, Patroni, clocks, nodes and disks, and say what to do")
    .addOption(
      new Option("--patroni-port <port>", "of Patroni's REST interface on PostgreSQL's hosts")
        .default(8008)
        .argParser(parseId),
    )
    .addOption(jsonOption())
    .action(async ({ patroniPort, json }: AsJson & { patroniPort: number }) => {
      const findings = await commands().cluster.doctor(patroniPort);
      await printFindings(context, findings, json);
    });
  const files = new Command("files")
    .description(
      "write what etcd, Patroni, HAProxy and the nodes of a new cluster need, by machine",
    )
    .requiredOption("--hosts <names>", "three or more machines, separated by commas", hostNames)
    .addOption(
      new Option("--postgres <version>", "PostgreSQL's major version")
        .default(17)
        .argParser(parseId),
    )
    .requiredOption("--to <folder>", "a new folder; the files have passwords in them")
    .addOption(jsonOption())
    .action(async ({ hosts, postgres, to, json }: FilesOptions) => {
      const written = commands().cluster.files(hosts, postgres, to);
      await printList(output, [written.map((file) => ({ file }))], json);
    });
  return new Command("cluster")
    .description("several nodes over one PostgreSQL")
    .addCommand(init)
    .addCommand(join)
    .addCommand(status)
    .addCommand(doctor)
    .addCommand(files)
    .addCommand(rebuild)
    .addCommand(leave)
    .addCommand(forget);
}
