import { type Admission, readPolicies, readWebhooks } from "#lib/cluster/admission/admission.ts";
import type { MutatingRead } from "#lib/cluster/admission/mutating-admission.ts";
import type { Connection } from "#lib/cluster/connection/connection.ts";
import { probeConversion } from "#lib/cluster/conversion/probe-conversion.ts";
import type { AnsweringServer } from "#lib/cluster/definitions/answering-server.ts";
import { readMigrationsOf } from "#lib/cluster/migrations/list-migrations.ts";
import { mayI } from "#lib/cluster/rights/read-rights.ts";
import { errorWords } from "#lib/contract/app-error.ts";
import { type Crd, hasCondition, storageVersion } from "#lib/domain/definition/crd.ts";
import { migrationReason } from "#lib/domain/definition/crd-state.ts";
import type { CheckName, DryRunCheck, DryRunOutcome } from "#lib/domain/losses/dry-run.ts";
import { sampleOf } from "#lib/domain/losses/sample-of.ts";
import { latestRun } from "#lib/domain/record/rewrite-record.ts";
import { type NeededRight, neededRights, rightWords } from "#lib/domain/rewrite/needed-rights.ts";
import { isLive } from "#lib/domain/rewrite/run.ts";
import { formatCount } from "#lib/domain/wording/format-count.ts";

interface Checked {
  connection: Connection;
  crd: Crd;
  storageVersion: string;
  answering: AnsweringServer;
  /** What may change objects in admission. */
  mutating: MutatingRead;
  signal: AbortSignal;
  /** The run or dry run that needs the checks. */
  runId: string;
}

type Finding = Omit<DryRunCheck, "name">;

/** The checks that need no objects. A check that fails to run becomes a warning with the reason. */
export async function checkCluster(checked: Checked): Promise<DryRunCheck[]> {
  const checks: [CheckName, () => Finding | Promise<Finding>][] = [
    ["permissions", () => checkPermissions(checked)],
    ["conditions", () => checkConditions(checked)],
    ["engine", () => checkEngine(checked)],
    ["conversion", () => checkConversion(checked)],
    ["webhooks", () => checkWebhooks(checked)],
    ["policies", () => checkPolicies(checked)],
  ];
  return Promise.all(
    checks.map(async ([name, check]) => {
      try {
        return { name, ...(await check()) };
      } catch (error) {
        checked.signal.throwIfAborted();
        return { name, status: "warn" as const, message: `crdshift couldn't check this. ${errorWords(error)}` };
      }
    }),
  );
}

/** How many watch events a rewrite will cause, based on the dry run. */
export function watchEventsCheck({ plural }: Crd, outcome: DryRunOutcome): DryRunCheck {
  const { checked, wouldPass, onlyRead, generationRises } = outcome;
  const events = sampleOf(outcome)?.total ?? wouldPass + onlyRead;
  const share =
    generationRises === 0 || checked === 0
      ? ""
      : ` ${formatCount(generationRises)} of ${formatCount(checked)} objects tried would get a higher generation, so controllers would reconcile them.`;
  if (events === 0) return { name: "watch-events", status: "pass", message: "No objects would be rewritten, so watchers get no events." };
  return {
    name: "watch-events",
    status: generationRises > 0 ? "warn" : "pass",
    message: `Every watcher of ${plural} gets up to ${formatCount(events)} MODIFIED events, one per rewritten object.${share} The dry run sends none.`,
  };
}

async function checkPermissions({ connection, crd, signal }: Checked): Promise<Finding> {
  const vital = neededRights(crd, "rewrite");
  const useful: NeededRight[] = neededRights(crd, "prune")
    .filter(({ subresource }) => subresource === "status")
    .map((right) => ({ ...right, why: "to prune afterwards" }));
  if (storageVersion(crd)?.hasStatus) {
    const { group, plural: resource } = crd;
    useful.push({ verb: "patch", group, resource, subresource: "status", why: "to retry rejected objects through /status" });
  }
  const ask = async ({ why, ...right }: NeededRight) => ({ right, why, ...(await mayI(connection, right, signal)) });
  const [deniedVital, deniedUseful] = await Promise.all(
    [vital, useful].map(async (rights) => (await Promise.all(rights.map(ask))).filter(({ allowed }) => !allowed)),
  );
  const denied = [...(deniedVital ?? []), ...(deniedUseful ?? [])];
  if (denied.length === 0) return pass("You can list, get and patch the objects, and patch the definition and its status.");
  const missing = denied.map(({ right, why }) => `${rightWords(right)} (${why})`).join(", ");
  return {
    status: deniedVital?.length ? "fail" : "warn",
    message: `You can't ${missing}. Ask for a role with these verbs.`,
  };
}

function checkConditions({ crd, storageVersion, answering }: Checked): Finding {
  if (crd.deletionTimestamp) return { status: "fail", message: "The definition is being deleted." };
  if (!crd.versions.some(({ name, served }) => name === storageVersion && served)) {
    return { status: "fail", message: `The storage version ${storageVersion} is not served, so nothing can be rewritten. Serve it first.` };
  }
  if (!hasCondition(crd, "Established")) return { status: "fail", message: "The definition is not Established. Look at its conditions." };
  if (answering.kind === "another") return { status: "fail", message: `Nothing can be rewritten: ${answering.because}` };
  const odd = crd.conditions.filter(
    ({ type, status }) => (type === "NonStructuralSchema" && status === "True") || (type === "NamesAccepted" && status === "False"),
  );
  if (odd.length > 0) return { status: "warn", message: odd.map(({ type, message }) => `${type}: ${message}`).join(" ") };
  return pass("The definition is Established, its names are accepted, and it isn't being deleted.");
}

async function checkEngine({ connection, crd: seen, signal }: Checked): Promise<Finding> {
  const crd = { ...seen, ...(await readMigrationsOf(connection, seen.name, signal)) };
  const run = latestRun(crd, Date.now());
  const migrating = migrationReason(crd, Date.now(), run && isLive(run) ? run.id : null);
  if (migrating !== null) return { status: "fail", message: `${migrating} Wait until it ends.` };
  const waiting = crd.migrations.find(({ phase, runId }) => phase === "pending" && runId === null);
  if (waiting) {
    return {
      status: "warn",
      message: `The StorageVersionMigration ${waiting.name} has been waiting for a controller since ${waiting.createdAt} and may start at any time. Delete it if you don't need it.`,
    };
  }
  if (run && isLive(run)) return pass(`The rewrite started by ${run.startedBy} is running.`);
  return pass("No other engine is migrating this definition.");
}

async function checkConversion({ connection, crd, signal, runId }: Checked): Promise<Finding> {
  const { versions } = await probeConversion(connection, crd, { signal, runId });
  const failing = versions.filter(({ failure }) => failure !== null);
  if (failing.length > 0) {
    return { status: "fail", message: failing.map(({ version, failure }) => `Reading at ${version} fails: ${failure}`).join(" ") };
  }
  const read = versions.filter(({ readMs }) => readMs !== null);
  if (read.length === 0) return pass("There are no objects, so nothing was converted.");
  const times = `one object read at ${read.map(({ version, readMs }) => `${version} in ${readMs} ms`).join(", ")}.`;
  if (crd.conversion.strategy === "None") return pass(`There is no conversion webhook: ${times}`);
  // An object is stored in one version; reading it at any other calls the webhook.
  if (read.length > 1) return pass(`The conversion webhook answers: ${times}`);
  return pass(`Only one version is served, so the conversion webhook was called only if the object is stored in another version: ${times}`);
}

async function checkWebhooks({ connection, crd, storageVersion, mutating, signal }: Checked): Promise<Finding> {
  const validating = await readWebhooks({ connection, crd, version: storageVersion, role: "validating", signal });
  const webhooks = [...(await mutating.webhooks), ...validating];
  if (webhooks.length === 0) return pass("The API lists no admission webhook that matches updates to these objects.");
  const names = webhooks.map(
    ({ kind, name, failurePolicy, sideEffects, selective }) =>
      `${kind} ${name} (failurePolicy ${failurePolicy}, sideEffects ${sideEffects}${selective ? ", for some objects" : ""})`,
  );
  const noDryRun = webhooks.some(({ sideEffects }) => sideEffects !== "None" && sideEffects !== "NoneOnDryRun");
  const consequence = noDryRun ? " A webhook with side effects rejects dry runs, so its objects can't be tried first." : "";
  return { status: "warn", message: `Every update is sent to ${names.join("; ")}.${consequence}` };
}

async function checkPolicies({ connection, crd, storageVersion, mutating, signal }: Checked): Promise<Finding> {
  const validating = await readPolicies({ connection, crd, version: storageVersion, role: "validating", signal });
  const policies = [...validating, ...(await mutating.policies)];
  if (policies.length === 0) return pass("The API lists no admission policy that matches updates to these objects.");
  return {
    status: policies.some(({ actions }) => actions.length > 0) ? "warn" : "pass",
    message: `Updates are checked by ${policies.map(describePolicy).join("; ")}.`,
  };
}

function describePolicy({ kind, name, failurePolicy, selective, actions }: Admission): string {
  const effect = actions.length > 0 ? actions.join(" and ") : "no binding, so not enforced";
  return `${kind} ${name} (failurePolicy ${failurePolicy}, ${effect}${selective ? ", for some objects" : ""})`;
}

function pass(message: string): Finding {
  return { status: "pass", message };
}
