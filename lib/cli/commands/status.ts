import { describeDefinition } from "#lib/cli/describe-definition.ts";
import { describeFleet } from "#lib/cli/describe-fleet.ts";
import { type ExitCode, exitCodeOfFleet, exitCodeOfState, exitCodes } from "#lib/cli/exit-codes.ts";
import { findDefinition } from "#lib/cli/find-definition.ts";
import type { ClusterInvocation } from "#lib/cli/parse-arguments.ts";
import type { Session } from "#lib/cli/session.ts";
import { untilCounted } from "#lib/cli/until-counted.ts";
import { listSummaries } from "#lib/cluster/list-summaries.ts";
import { readDetail } from "#lib/cluster/read-detail.ts";

const COUNT_ONE_WITHIN_MS = 5_000;
const COUNT_ALL_WITHIN_MS = 20_000;

/** `status`: one definition, or all. */
export async function status(invocation: ClusterInvocation, session: Session): Promise<ExitCode> {
  const { connection, output, stop, program } = session;
  const { signal } = stop;
  const withCode = invocation.options["exit-code"] === true;
  if (invocation.definition) {
    const name = await findDefinition(invocation, session);
    await readDetail(connection, name, signal);
    await untilCounted(connection, [name], { withinMs: COUNT_ONE_WITHIN_MS, signal });
    const crd = await readDetail(connection, name, signal);
    await output.result(crd, describeDefinition(crd, program));
    return withCode ? exitCodeOfState(crd.state) : exitCodes.done;
  }
  const listed = await listSummaries(connection, signal);
  const names = listed.items.map(({ name }) => name);
  await untilCounted(connection, names, { withinMs: COUNT_ALL_WITHIN_MS, signal });
  const fleet = await listSummaries(connection, signal);
  await output.result(fleet, describeFleet(fleet));
  return withCode ? exitCodeOfFleet(fleet.items) : exitCodes.done;
}
