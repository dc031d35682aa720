import { Command } from "commander";
import type { ClusterCommands } from "../../../app/cluster-commands.ts";
import { readConfig } from "../../../config.ts";
import { type AsJson, jsonOption } from "../arguments.ts";
import type { CommandContext } from "../command-context.ts";
import { printList, printObject } from "../print.ts";
import { requireFile } from "../with-domains.ts";

const LEFT =
  "The cluster continues without this file, which does not get anything that the nodes count or change from now on. To move for good, stop all nodes first.";

/** `kanalog cluster`: several nodes over one PostgreSQL. */
export function clusterCommand(context: CommandContext): Command {
  const { output } = context;
  const commands = (): { path: string; cluster: ClusterCommands } => {
    const config = readConfig(context.environment);
    requireFile(config);
    return { path: config.databasePath, cluster: context.cluster(config, context.ports(config)) };
  };

  const init = new Command("init")
    .description("create a cluster from a database file, which becomes the first node's copy")
    .requiredOption("--from <file>", "the database file; no process may use it meanwhile")
    .addOption(jsonOption())
    .action(async ({ from, json }: AsJson & { from: string }) => {
      const rows = await commands().cluster.init(from);
      printObject(output, { file: from, rows }, json);
    });
  const join = new Command("join")
    .description("create this node's copy, in a new file at KANALOG_DB")
    .addOption(jsonOption())
    .action(async ({ json }: AsJson) => {
      const { path, cluster } = commands();
      printObject(output, { path, version: await cluster.join() }, json);
    });
  const rebuild = new Command("rebuild")
    .description("recreate this node's copy; the old one is kept beside it")
    .addOption(jsonOption())
    .action(async ({ json }: AsJson) => {
      const { path, cluster } = commands();
      const { version, keptAs } = await cluster.rebuild();
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
  return new Command("cluster")
    .description("several nodes over one PostgreSQL")
    .addCommand(init)
    .addCommand(join)
    .addCommand(status)
    .addCommand(rebuild)
    .addCommand(leave)
    .addCommand(forget);
}
