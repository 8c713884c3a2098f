import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { AppError } from "#lib/contract/app-error.ts";
import { POST } from "./route.ts";

const told = vi.hoisted(() => ({ kinds: Array.of<string>(), details: {} }));

vi.mock("#lib/sign-in/authenticate.ts", () => ({ authenticate: () => ({}) }));
vi.mock("#lib/sign-in/confirm-token.ts", () => ({ confirmToken: async () => {}, keepConfirmed: () => {} }));
vi.mock("#lib/cluster/connection/connect.ts", () => ({ connect: async (name: string) => ({ name }) }));
vi.mock("#lib/cluster/fleet/read-known-crd.ts", () => ({ readKnownCrd: async () => ({}) }));
vi.mock("#lib/rewrite/record/record-action.ts", () => ({
  recordAction: (_connection: unknown, _crd: string, { kind }: { kind: string }) => told.kinds.push(kind),
}));
vi.mock("#lib/rewrite/commands/resume-rewrite.ts", () => ({
  isPausePending: () => false,
  resumeRewrite: async () => {
    throw new AppError("cluster_timeout", "The API server didn't answer.", { details: told.details });
  },
}));

beforeEach(() => {
  told.kinds = [];
  vi.stubEnv("CRDSHIFT_PROTECTED", "*.example.com");
});
afterEach(() => vi.unstubAllEnvs());

const CRD = "crontabs.example.com";

// Without justified (cluster-route.ts) a run goes on, and nobody can read why it was resumed.
test.each([
  { details: { unconfirmed: true }, kinds: ["justified"] },
  { details: {}, kinds: [] },
])("the reason for a resume that failed is recorded only if the run may have been resumed ($details)", async ({ details, kinds }) => {
  told.details = details;
  const headers = { "x-crdshift-confirm": CRD, "x-crdshift-reason": encodeURIComponent("The upgrade needs it.") };
  const request = new Request("http://localhost/api", {
    method: "POST",
    headers: { ...headers, "content-type": "application/json" },
    body: "{}",
  });
  const response = await POST(request, { params: Promise.resolve({ cluster: "c", crd: CRD, id: "1" }) });
  expect(response.status).toBe(504);
  expect(told.kinds).toEqual(kinds);
});
