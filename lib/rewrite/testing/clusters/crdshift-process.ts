import { onTestFinished } from "vitest";
import { writeContexts } from "#lib/cluster/testing/choose-contexts.ts";
import type { FaultProxy } from "#lib/cluster/testing/fault-proxy.ts";
import { type CrdDetail, crdDetailSchema } from "#lib/contract/definition/crd.ts";
import { type ErrorBody, errorBodySchema } from "#lib/contract/error.ts";
import { type Run, runSchema, type StartRewrite, startedRewriteSchema } from "#lib/contract/rewrite/run.ts";
import type { SampleDefinition } from "#lib/local-cluster/sample-definition.ts";
import type { TestCluster } from "#lib/local-cluster/testing/vitest-global-setup.ts";
import { askDashboard } from "#lib/server/testing/ask-dashboard.ts";
import { type Dashboard, type Starter, startDashboard } from "#lib/server/testing/start-dashboard.ts";

/** A crdshift in a separate process, driven over its HTTP API. Refusals are thrown as Refused. */
export interface CrdshiftProcess extends Dashboard {
  /** Starts a rewrite and returns its id. */
  start(definition: SampleDefinition, options?: StartRewrite): Promise<string>;
  run(definition: SampleDefinition, id: string): Promise<Run>;
  /** Resumes without accepting losses again. */
  resume(definition: SampleDefinition, id: string): Promise<Run>;
  detail(definition: SampleDefinition): Promise<CrdDetail>;
  prune(definition: SampleDefinition): Promise<CrdDetail>;
  restore(definition: SampleDefinition, versions: string[]): Promise<CrdDetail>;
}

/** An error answer; the message starts with its code. */
export class Refused extends Error {
  readonly status: number;
  readonly body: ErrorBody["error"];

  constructor(status: number, body: ErrorBody["error"]) {
    super(`${body.code}: ${body.message}`);
    this.status = status;
    this.body = body;
  }
}

/** How long to poll for such a process on a busy machine. */
export const SOON = { timeout: 90_000 };

const CONTEXT = "faults";
const ANSWER_WITHIN_MS = 30_000;

/** Starts a crdshift that reaches the cluster through the proxy. It is killed at the end of the test. */
export async function startCrdshift(
  cluster: TestCluster,
  proxy: Pick<FaultProxy, "server">,
  { settleSeconds = 0, starter, env }: { settleSeconds?: number; starter?: Starter; env?: Record<string, string> } = {},
): Promise<CrdshiftProcess> {
  const kubeconfig = await writeContexts(cluster, { name: CONTEXT, server: proxy.server });
  const settings = { KUBECONFIG: kubeconfig, CRDSHIFT_SETTLE_SECONDS: String(settleSeconds), ...env };
  const dashboard = await startDashboard(settings, [], starter);
  onTestFinished(async () => void (await dashboard.stop("SIGKILL")));

  const call = async (method: "GET" | "POST", definition: SampleDefinition, path = "", body: object = {}): Promise<unknown> => {
    const response = await askDashboard(`${dashboard.url}/api/clusters/${CONTEXT}/crds/${definition.name}${path}`, {
      method,
      signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
      ...(method === "POST" && { headers: { "content-type": "application/json" }, body: JSON.stringify(body) }),
    });
    const answer: unknown = await response.json();
    if (!response.ok) throw new Refused(response.status, errorBodySchema.parse(answer).error);
    return answer;
  };
  return {
    ...dashboard,
    start: async (definition, options) => startedRewriteSchema.parse(await call("POST", definition, "/rewrites", options)).id,
    run: async (definition, id) => runSchema.parse(await call("GET", definition, `/rewrites/${id}`)),
    resume: async (definition, id) => runSchema.parse(await call("POST", definition, `/rewrites/${id}/resume`)),
    detail: async (definition) => crdDetailSchema.parse(await call("GET", definition)),
    prune: async (definition) =>
      crdDetailSchema.parse(await call("POST", definition, "/stored-versions/prune", { confirm: definition.name })),
    restore: async (definition, versions) =>
      crdDetailSchema.parse(await call("POST", definition, "/stored-versions/restore", { versions })),
  };
}
