import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { AppError } from "#lib/contract/app-error.ts";
import { errorBodySchema } from "#lib/contract/error.ts";
import { changeRoute } from "./cluster-route.ts";
import { json } from "./json.ts";

const done = vi.hoisted(() => ({ order: Array.of<unknown>(), changedAt: 0 }));

vi.mock("#lib/sign-in/authenticate.ts", () => ({ authenticate: () => ({}) }));
vi.mock("#lib/sign-in/confirm-token.ts", () => ({ confirmToken: async () => {}, keepConfirmed: () => {} }));
vi.mock("#lib/cluster/connection/connect.ts", () => ({ connect: async (name: string) => ({ name }) }));
vi.mock("#lib/cluster/fleet/read-known-crd.ts", () => ({ readKnownCrd: async () => ({}) }));
vi.mock("#lib/rewrite/record/record-action.ts", () => ({
  recordAction: (_connection: unknown, crd: string, { kind, message, at }: { kind: string; message: string; at: string }) =>
    done.order.push({ crd, kind, message, isBefore: Date.parse(at) <= done.changedAt }),
}));

beforeEach(() => {
  done.order = [];
  vi.stubEnv("CRDSHIFT_PROTECTED", "crontabs.example.com, *.cert-manager.io");
});
afterEach(() => vi.unstubAllEnvs());

const CRD = "certificates.cert-manager.io";
const REASON = "The upgrade to 1.20 needs it (ÄÖ).";
const route = changeRoute<"id">(async ({ params, reason }) => {
  done.order.push({ changed: reason });
  done.changedAt = Date.now();
  // What is told of after this is told of as it was before.
  await new Promise((resolve) => setTimeout(resolve, 5));
  return json(params);
});

function post(headers: Record<string, string>, crd = CRD, to = route): Promise<Response> {
  const request = new Request("http://localhost/api/clusters/c/crds", { method: "POST", headers });
  return to(request, { params: Promise.resolve({ cluster: "c", crd, id: "1" }) });
}

test("an unprotected definition is changed without a reason, and nothing is recorded", async () => {
  expect((await post({}, "widgets.example.com")).status).toBe(200);
  expect(done.order).toEqual([{ changed: null }]);
});

test("a protected definition is changed with its name and a reason, and the reason is recorded after the change", async () => {
  const reason = encodeURIComponent(`  ${REASON.replace(" ", "\n")} `);
  const response = await post({ "x-crdshift-confirm": CRD, "x-crdshift-reason": reason });
  expect(await response.json()).toEqual({ cluster: "c", crd: CRD, id: "1" });
  const message = `Reason for changing a protected definition: ${REASON}`;
  expect(done.order).toEqual([{ changed: REASON }, { crd: CRD, kind: "justified", message, isBefore: true }]);
});

const recorded = { crd: CRD, kind: "justified", message: `Reason for changing a protected definition: ${REASON}` };
const failingWith = (details: Record<string, unknown>) =>
  changeRoute<"id">(async () => {
    throw new AppError("cluster_unreachable", "The API server can't be reached.", { details });
  });

test.each([
  { details: { unconfirmed: true }, told: [recorded] },
  { details: {}, told: [] },
])("the reason for a change that failed is recorded only if it may have been made ($details)", async ({ details, told }) => {
  const headers = { "x-crdshift-confirm": CRD, "x-crdshift-reason": encodeURIComponent(REASON) };
  expect((await post(headers, CRD, failingWith(details))).status).toBe(502);
  expect(done.order).toMatchObject(told);
});

const reason = encodeURIComponent(REASON);
const another = { "x-crdshift-confirm": "issuers.cert-manager.io" };
test.each<[what: string, headers: Record<string, string>, fault: string]>([
  ["neither name nor reason", {}, ""],
  ["no reason", { "x-crdshift-confirm": CRD }, " Give a reason of 10 to 500 characters."],
  ["no name", { "x-crdshift-reason": reason }, " The definition's name is missing."],
  ["another name", { ...another, "x-crdshift-reason": reason }, " The name doesn't match the definition's."],
  [
    "a reason of nine characters",
    { "x-crdshift-confirm": CRD, "x-crdshift-reason": encodeURIComponent("   123456789   ") },
    " The reason is too short: use at least 10 characters.",
  ],
  [
    "a reason of ten invisible characters",
    { "x-crdshift-confirm": CRD, "x-crdshift-reason": "%00".repeat(10) + encodeURIComponent("\u200b\u2060\u00ad\ufeff".repeat(5)) },
    " Give a reason of 10 to 500 characters.",
  ],
  [
    "a reason of 501 characters",
    { "x-crdshift-confirm": CRD, "x-crdshift-reason": "x".repeat(501) },
    " The reason is too long: use at most 500 characters.",
  ],
  [
    "an invalid percent-encoding",
    { "x-crdshift-confirm": CRD, "x-crdshift-reason": `${reason}%E4` },
    " x-crdshift-reason is not encoded with encodeURIComponent.",
  ],
  [
    "another name and a short reason",
    { ...another, "x-crdshift-reason": "short" },
    " The name doesn't match the definition's. The reason is too short: use at least 10 characters.",
  ],
])(
  "a change to a protected definition with %s is refused, and the answer says what is wrong and what to send",
  async (_what, headers, fault) => {
    const response = await post(headers);
    expect(response.status).toBe(409);
    const { error } = errorBodySchema.parse(await response.json());
    expect(error).toMatchObject({
      code: "precondition_failed",
      message: `certificates.cert-manager.io is protected by the pattern *.cert-manager.io.${fault}`,
      details: { protection: { pattern: "*.cert-manager.io", crd: CRD } },
    });
    for (const words of [`x-crdshift-confirm: ${CRD}`, "x-crdshift-reason", "10 to 500", "encodeURIComponent"]) {
      expect(error.nextStep).toContain(words);
    }
    expect(done.order).toEqual([]);
  },
);

test.each(["1234567890", "x".repeat(500)])("a reason of the minimum or maximum length is accepted", async (text) => {
  expect((await post({ "x-crdshift-confirm": CRD, "x-crdshift-reason": text })).status).toBe(200);
});
