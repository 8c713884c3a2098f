import { randomBytes } from "node:crypto";
import { CONTEXT, expect, test } from "#e2e/fixtures.ts";
import { createUser } from "#lib/cluster/testing/create-user.ts";
import { signInWith } from "#lib/server/testing/sign-in-browser.ts";

const canary = (what: string) => `canary-${what}-${randomBytes(12).toString("hex")}`;
const everything = [{ apiGroups: ["*"], resources: ["*"], verbs: ["*"] }];

/** What was asked of a dashboard: everything that it answered, and which id each answer had. */
function asking(url: string) {
  const answers: string[] = [];
  const ask = async (path: string, init: RequestInit = {}) => {
    const response = await fetch(`${url}${path}`, { redirect: "manual", signal: AbortSignal.timeout(20_000), ...init });
    const { status, headers } = response;
    const { "set-cookie": _cookies, ...told } = Object.fromEntries(headers);
    const body = await response.text();
    answers.push(`${JSON.stringify(told)}\n${body}`);
    return { status, body, id: headers.get("x-request-id") ?? "" };
  };
  return { answers, ask };
}

const lines = (output: string): Record<string, unknown>[] =>
  output
    .split("\n")
    .filter((line) => line.startsWith("{"))
    .map((line) => JSON.parse(line));

test("no token, key, cookie, body or query is in the log or in an answer, and the log says who requested what", async ({
  api,
  cluster,
  ownDashboard,
  staleDefinition,
}) => {
  const definition = await staleDefinition(3);
  const user = await createUser(api, everything);
  try {
    const sessionKey = randomBytes(32).toString("base64");
    const wrong = { token: canary("token"), malformed: canary("malformed"), bearer: canary("bearer"), basic: canary("basic") };
    const sent = { body: canary("body"), json: canary("json"), query: canary("query"), header: canary("header"), cookie: canary("cookie") };
    const dashboard = await ownDashboard({
      KUBECONFIG: cluster.kubeconfig,
      CRDSHIFT_MODE: "token",
      CRDSHIFT_SESSION_KEYS: sessionKey,
      CRDSHIFT_METRICS: "on",
      CRDSHIFT_SETTLE_SECONDS: "0",
    });
    const { ask, answers } = asking(dashboard.url);
    const json = { "content-type": "application/json", origin: dashboard.url, "x-request-id": sent.header };
    const post = (path: string, body: string, headers = {}) => ask(path, { method: "POST", headers: { ...json, ...headers }, body });

    const refused = await post("/api/sign-in", JSON.stringify({ token: wrong.token }));
    expect(refused.status).toBe(401);
    expect((await post("/api/sign-in", JSON.stringify({ token: `${wrong.malformed} and more` }))).status).toBe(401);
    const cookies = await signInWith(dashboard.url, { token: user.token });
    const cookie = cookies.map(({ name, value }) => `${name}=${value}`).join("; ");
    const signedIn = { cookie };

    const crds = `/api/clusters/${encodeURIComponent(CONTEXT)}/crds`;
    const crd = `${crds}/${definition.name}`;
    const asked: [status: number, answer: Promise<{ status: number }>][] = [
      [200, ask(crds, { headers: signedIn })],
      [200, ask("/api/session", { headers: signedIn })],
      [200, ask(`/clusters/${encodeURIComponent(CONTEXT)}`, { headers: signedIn })],
      [404, ask(`${crds}/nothing.example.com`, { headers: signedIn })],
      [422, ask(`${crd}/objects?continue=${sent.query}`, { headers: signedIn })],
      [400, ask(`${crd}/objects?limit=${sent.query}`, { headers: signedIn })],
      [400, post(`${crd}/rewrites?q=${sent.query}`, `{"surprise": "${sent.body}"}`, signedIn)],
      [400, post(`${crd}/rewrites`, `{"surprise": ${sent.json}`, signedIn)],
      [400, post(`${crd}/stored-versions/prune`, JSON.stringify({ confirm: sent.body }), signedIn)],
      [401, ask(crds, { headers: { authorization: `Bearer ${wrong.bearer}` } })],
      // A proxy's own affair.
      [200, ask(crds, { headers: { authorization: `Basic ${wrong.basic}`, ...signedIn } })],
      [401, ask(crds, { headers: { cookie: `crdshift-test-s.0=${sent.cookie}` } })],
      [403, ask(`${crds}?q=${sent.query}`, { headers: { ...signedIn, "sec-fetch-site": "cross-site" } })],
      [400, ask(`/%zz?q=${sent.query}`, { headers: signedIn })],
      [405, ask(`${crd}?q=${sent.query}`, { method: "PUT", headers: { ...json, ...signedIn }, body: sent.body })],
    ];
    for (const [index, [status, answer]] of asked.entries()) expect((await answer).status, `request ${index}`).toBe(status);

    const begun = await post(`${crd}/rewrites`, "{}", signedIn);
    expect(begun.status, begun.body).toBeLessThan(300);
    const { id }: { id: string } = JSON.parse(begun.body);
    const run = () => ask(`${crd}/rewrites/${id}`, { headers: { authorization: `Bearer ${user.token}` } });
    await expect.poll(async () => (await run()).body, { timeout: 60_000 }).toContain('"phase":"succeeded"');
    expect((await ask("/metrics")).body).toContain('crdshift_objects_total{outcome="rewritten"} 3\n');
    await post("/api/sign-out", "{}", signedIn);
    await dashboard.stop();

    const output = dashboard.output();
    const signature = user.token.split(".").at(-1) ?? "";
    const [signIn = ""] = cookies.map(({ value }) => value);
    const kept = { userToken: user.token, signature, adminToken: cluster.token, sessionKey, signIn };
    const secrets: Record<string, string> = { ...kept, ...wrong, ...sent };
    expect(Object.keys(secrets)).toHaveLength(14);
    for (const [what, secret] of Object.entries(secrets)) {
      expect(secret.length, what).toBeGreaterThan(16);
      expect(output.includes(secret), `the log holds ${what}`).toBe(false);
      const told = answers.find((answer) => answer.includes(secret));
      expect(told, `an answer holds ${what}`).toBeUndefined();
    }

    const logged = lines(output);
    for (const line of logged) expect(line).toMatchObject({ level: expect.any(String), at: expect.any(String) });
    expect(logged).toContainEqual({
      ...{ level: "info", at: expect.any(String), requestId: refused.id },
      ...{ method: "POST", path: "/api/sign-in", status: 401, ms: expect.any(Number) },
    });
    expect(logged).toContainEqual(
      expect.objectContaining({ requestId: begun.id, method: "POST", path: `${crd}/rewrites`, status: begun.status }),
    );
    expect(logged).toContainEqual(expect.objectContaining({ action: "started", run: id, by: user.name }));
    expect(new Set(answers.map((answer) => /"x-request-id":"([\w-]{36})"/.exec(answer)?.[1])).size).toBe(answers.length);
  } finally {
    await user.remove();
  }
});

test("the sign-in secret is only in the printed links, and the script's token is nowhere", async ({ cluster, ownDashboard }) => {
  const token = canary("script");
  const dashboard = await ownDashboard({ KUBECONFIG: cluster.kubeconfig, CRDSHIFT_TOKEN: token });
  const { ask, answers } = asking(dashboard.url);
  const secretsOf = (text: string) => [...text.matchAll(/#launch=([\w-]+)/g)].map(([, secret = ""]) => secret);
  await expect.poll(() => secretsOf(dashboard.output())).toHaveLength(1);
  const [secret = ""] = secretsOf(dashboard.output());
  const signIn = (value: string) =>
    ask("/api/sign-in", {
      method: "POST",
      headers: { "content-type": "application/json", origin: dashboard.url },
      body: JSON.stringify({ launch: value }),
    });
  const wrong = canary("sign-in");
  expect((await signIn(wrong)).status).toBe(401);
  expect((await signIn(secret)).status).toBe(200);
  expect((await signIn(secret)).status).toBe(401);
  expect((await ask("/api/clusters", { headers: { authorization: `Bearer ${token}` } })).status).toBe(200);
  expect((await ask("/api/clusters", { headers: { authorization: `Bearer ${wrong}` } })).status).toBe(401);
  expect((await ask("/sign-in")).status).toBe(200);
  await expect.poll(() => secretsOf(dashboard.output())).toHaveLength(2);
  await dashboard.stop();

  const output = dashboard.output();
  const withoutLinks = output.replaceAll(/\/sign-in#launch=[\w-]+/g, "");
  for (const hidden of [token, wrong]) expect(output).not.toContain(hidden);
  for (const printed of secretsOf(output)) {
    expect(withoutLinks).not.toContain(printed);
    expect(answers.some((answer) => answer.includes(printed))).toBe(false);
  }
});
