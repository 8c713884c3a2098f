import { afterEach, expect, onTestFinished, test, vi } from "vitest";
import { connect, contextsFor } from "#lib/cluster/connection/connect.ts";
import { anonymousCredentials, type Credentials, credentialsId } from "#lib/cluster/connection/credentials.ts";
import { fleetOf } from "#lib/cluster/fleet/fleet-of.ts";
import { chooseContexts } from "#lib/cluster/testing/choose-contexts.ts";
import { faultProxy, type Match } from "#lib/cluster/testing/fault-proxy.ts";
import { openWorkerCluster } from "#lib/cluster/testing/open-worker-cluster.ts";
import { restrictedUser } from "#lib/cluster/testing/restricted-user.ts";
import { tcpProxy } from "#lib/cluster/testing/tcp-proxy.ts";
import { apiClient } from "#lib/local-cluster/api-client.ts";
import { confirmedName, confirmToken, endOfReading, noteConfirmed } from "./confirm-token.ts";
import { signIn } from "./sign-in.ts";

const { cluster, api } = openWorkerCluster();
const rules = [{ apiGroups: ["apiextensions.k8s.io"], resources: ["customresourcedefinitions"], verbs: ["list", "watch"] }];
afterEach(() => void vi.unstubAllEnvs());

async function listedFleet(credentials: Credentials) {
  const connection = await connect(contextsFor(credentials).current, credentials);
  const fleet = fleetOf(connection);
  onTestFinished(() => fleet.stop());
  await fleet.listed(AbortSignal.timeout(30_000));
  return { connection, fleet };
}

// The API server continues a watch whose token was revoked: unless the fleet ends, it keeps sending changes for minutes.
test("a token that the cluster rejects ends its fleet and its connection at once, and a new sign-in starts over", async () => {
  const user = await restrictedUser(api, rules);
  const proxy = await tcpProxy(cluster.server);
  await chooseContexts(cluster, { name: "person", server: proxy.server });
  vi.stubEnv("CRDSHIFT_MODE", "token");
  const old = { kind: "bearer", token: user.token } as const;
  const { connection, fleet } = await listedFleet(old);

  await user.revoke();
  expect(proxy.open()).toBeGreaterThan(0);
  const asks = new Request("http://localhost/api/clusters", { headers: { authorization: `Bearer ${old.token}` } });
  expect(await endOfReading(asks)).toMatchObject({ code: "unauthenticated", details: { signIn: true } });
  await expect(confirmToken(old)).rejects.toMatchObject({ code: "unauthenticated", details: { signIn: true } });
  expect(fleet.hasEnded()).toBe(true);
  await expect.poll(() => proxy.open()).toBe(0);
  expect(await connect("person", old)).not.toBe(connection);

  const renewed: Credentials = { kind: "bearer", token: await user.renew() };
  expect(await confirmToken(renewed)).toBe(user.name);
  expect((await listedFleet(renewed)).fleet.hasEnded()).toBe(false);
});

test("a cluster that doesn't answer ends no accepted token's connection, and lets no other token in", async () => {
  const user = await restrictedUser(api, rules);
  const proxy = await tcpProxy(cluster.server);
  await chooseContexts(cluster, { name: "person", server: proxy.server });
  const credentials: Credentials = { kind: "bearer", token: user.token };
  const { connection, fleet } = await listedFleet(credentials);
  expect(await confirmToken(credentials)).toBe(user.name);
  vi.useFakeTimers({ toFake: ["Date"] });
  onTestFinished(() => void vi.useRealTimers());
  vi.setSystemTime(Date.now() + 31_000);
  proxy.cut({ refuse: true });
  expect(await confirmToken(credentials)).toBe(user.name);
  const madeUp: Credentials = { kind: "bearer", token: "made-up-0" };
  expect([credentials, madeUp].map((one) => confirmedName(credentialsId(one)))).toEqual([user.name, null]);
  // Without withoutAddress (confirm-token.ts) anyone learns where the API server is.
  vi.stubEnv("CRDSHIFT_MODE", "token");
  const untold = { code: "cluster_unreachable", message: "The cluster does not answer.", clusterMessage: undefined };
  await expect(confirmToken({ kind: "bearer", token: "unknown" })).rejects.toMatchObject(untold);
  await expect(signIn({ token: "unknown" }, AbortSignal.timeout(30_000))).rejects.toMatchObject(untold);
  proxy.cut({ refuse: false });
  // A silence is not remembered as a rejection is.
  await expect(confirmToken({ kind: "bearer", token: "unknown" })).rejects.toMatchObject({ code: "unauthenticated" });
  expect(fleet.hasEnded()).toBe(false);
  expect(await connect("person", credentials)).toBe(connection);
});

// If a name in any refusal counts (reviewSelf in read-rights.ts), a cluster that ignores tokens accepts each, as that of somebody unnamed.
test("whoever the cluster denies the review because they are anonymous is rejected, and not as someone who may not ask", async () => {
  await chooseContexts(cluster, { name: "person" });
  await expect(confirmToken(anonymousCredentials)).rejects.toMatchObject({
    code: "unauthenticated",
    message: "The cluster treats your token as anonymous.",
  });
  expect(confirmedName(credentialsId(anonymousCredentials))).toBe(null);
});

// Without the name, each token of whoever may not ask who they are counts as a person's.
test("whoever may not ask who they are is known by the name in the cluster's refusal", async () => {
  const user = await restrictedUser(api, rules);
  await chooseContexts(cluster, { name: "person" });
  const bindings = "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings";
  const { metadata, ...binding } = await api.get<{ metadata: { name: string } }>(`${bindings}/system:basic-user`);
  await api.delete(`${bindings}/system:basic-user`);
  onTestFinished(() => api.create(bindings, { ...binding, metadata: { name: metadata.name } }).then(() => {}));
  const review = { apiVersion: "authentication.k8s.io/v1", kind: "SelfSubjectReview" };
  const asUser = apiClient({ ...cluster, token: user.token });
  onTestFinished(() => asUser.close());
  const reviewed = () => asUser.create("/apis/authentication.k8s.io/v1/selfsubjectreviews", review).then(() => "allowed", String);
  await expect.poll(reviewed).toContain("forbidden");
  const credentials: Credentials = { kind: "bearer", token: user.token };
  expect(await confirmToken(credentials)).toBe(user.name);
  expect((await connect("person", credentials)).userName()).toBe(user.name);
});

// Without leastKnown (confirm-token.ts) the oldest is forgotten first, whoever it is, and can't read what crdshift knows.
test("a thousand made-up tokens don't make crdshift forget whom the cluster has accepted", async () => {
  const user = await restrictedUser(api, rules);
  const proxy = await tcpProxy(cluster.server);
  await chooseContexts(cluster, { name: "person", server: proxy.server });
  const credentials: Credentials = { kind: "bearer", token: user.token };
  expect(await confirmToken(credentials)).toBe(user.name);
  for (let index = 0; index < 1_020; index += 30) {
    const tokens = Array.from({ length: 30 }, (_, more): Credentials => ({ kind: "bearer", token: `made-up-${index + more}` }));
    await Promise.all(tokens.map((token) => confirmToken(token).catch(() => null)));
  }
  vi.useFakeTimers({ toFake: ["Date"] });
  onTestFinished(() => void vi.useRealTimers());
  vi.setSystemTime(Date.now() + 31_000);
  proxy.cut({ refuse: true });
  expect(await confirmToken(credentials)).toBe(user.name);
});

// While each unknown token had a place in the pool, 300 of them kept everyone new out until a restart.
test("hundreds of made-up tokens, given up at once, keep nobody out for longer than a minute", async () => {
  await chooseContexts(cluster, { name: "person" });
  vi.stubEnv("CRDSHIFT_MODE", "token");
  const users = await Promise.all([restrictedUser(api, rules), restrictedUser(api, rules)]);
  const attempt = (token: string, signal: AbortSignal) => signIn({ token }, signal).catch((error: unknown) => error);
  for (let index = 0; index < 300; index += 10) {
    await Promise.all(Array.from({ length: 10 }, (_, more) => attempt(`made-up-${index + more}`, AbortSignal.timeout(4))));
  }
  expect(await attempt(users[0].token, AbortSignal.timeout(30_000))).toMatchObject({ code: "too_many_requests" });
  vi.useFakeTimers({ toFake: ["Date"] });
  onTestFinished(() => void vi.useRealTimers());
  vi.setSystemTime(Date.now() + 61_000);
  expect(await attempt(users[0].token, AbortSignal.timeout(30_000))).toMatchObject({ token: users[0].token });
  expect(await confirmToken({ kind: "bearer", token: users[1].token })).toBe(users[1].name);
});

// Without isTaken (confirm-token.ts) signed-in users are turned away with the strangers.
test("made-up tokens delay only each other, not users with accepted tokens", async () => {
  const user = await restrictedUser(api, rules);
  const proxy = await faultProxy(cluster);
  await chooseContexts(cluster, { name: "person", server: proxy.server });
  const credentials: Credentials = { kind: "bearer", token: user.token };
  // Tokens of its own: whether the cluster has rejected another test's is known for 30 s, and not asked again.
  const madeUp = (index: number): Credentials => ({ kind: "bearer", token: `made-up-at-once-${index}` });
  expect(await confirmToken(credentials)).toBe(user.name);

  const isStranger: Match = ({ headers }) => headers.authorization?.includes("made-up") ?? false;
  const held = proxy.hold(isStranger, "before", 32);
  const strangers = Array.from({ length: 32 }, (_, index) => confirmToken(madeUp(index)).catch((error: unknown) => error));
  await expect.poll(() => proxy.seen.filter(isStranger).length).toBe(32);
  await expect(confirmToken(madeUp(32))).rejects.toMatchObject({ code: "too_many_requests" });

  vi.useFakeTimers({ toFake: ["Date"] });
  onTestFinished(() => void vi.useRealTimers());
  vi.setSystemTime(Date.now() + 31_000);
  const asked = proxy.seen.length;
  expect(await confirmToken(credentials)).toBe(user.name);
  expect(proxy.seen.length).toBe(asked + 1);
  held.release();
  for (const refused of await Promise.all(strangers)) expect(refused).toMatchObject({ code: "unauthenticated" });
});

// When those that were accepted before counted too, a slow cluster turned new people away for as long as it was.
test("tokens that were accepted before keep out no new one while the cluster is asked about them again", async () => {
  const user = await restrictedUser(api, rules);
  const proxy = await faultProxy(cluster);
  await chooseContexts(cluster, { name: "person", server: proxy.server });
  const accepted = Array.from({ length: 32 }, (_, index): Credentials => ({ kind: "bearer", token: `accepted-${index}` }));
  for (const [index, credentials] of accepted.entries())
    noteConfirmed({ audience: (await connect("person", credentials)).audience, expiresAt: null }, `person ${index}`);
  vi.useFakeTimers({ toFake: ["Date"] });
  onTestFinished(() => void vi.useRealTimers());
  vi.setSystemTime(Date.now() + 31_000);
  const isAgain: Match = ({ headers }) => headers.authorization?.includes("accepted-") ?? false;
  const held = proxy.hold(isAgain, "before", 32);
  const again = accepted.map((credentials) => confirmToken(credentials).catch((error: unknown) => error));
  await expect.poll(() => proxy.seen.filter(isAgain).length).toBe(32);
  expect(await confirmToken({ kind: "bearer", token: user.token })).toBe(user.name);
  held.release();
  await Promise.all(again);
});

// Without noteConfirmed (confirm-token.ts) whoever has just signed in counts as a stranger, and is turned away with them.
test("made-up tokens turn nobody away who has just signed in", async () => {
  const user = await restrictedUser(api, rules);
  const proxy = await faultProxy(cluster);
  await chooseContexts(cluster, { name: "person", server: proxy.server });
  vi.stubEnv("CRDSHIFT_MODE", "token");
  const isStranger: Match = ({ headers }) => headers.authorization?.includes("made-up") ?? false;
  const held = proxy.hold(isStranger, "before", 32);
  const strangers = Array.from({ length: 32 }, (_, index) =>
    confirmToken({ kind: "bearer", token: `made-up-too-${index}` }).catch((error: unknown) => error),
  );
  await expect.poll(() => proxy.seen.filter(isStranger).length).toBe(32);
  await signIn({ token: user.token }, AbortSignal.timeout(30_000));
  expect(await confirmToken({ kind: "bearer", token: user.token })).toBe(user.name);
  held.release();
  await Promise.all(strangers);
});

// Without `urgent` (confirm-token.ts) a cancel waits up to ten seconds for a review, while the run goes on.
test("what is urgent doesn't wait for a slow answer about a token that was accepted before, and a rejection still ends its connection", async () => {
  const user = await restrictedUser(api, rules);
  const proxy = await faultProxy(cluster);
  await chooseContexts(cluster, { name: "person", server: proxy.server });
  const credentials: Credentials = { kind: "bearer", token: user.token };
  const { fleet } = await listedFleet(credentials);
  expect(await confirmToken(credentials)).toBe(user.name);
  await user.revoke();

  vi.useFakeTimers({ toFake: ["Date"] });
  onTestFinished(() => void vi.useRealTimers());
  vi.setSystemTime(Date.now() + 31_000);
  const review = proxy.hold(({ path }) => path.includes("/selfsubjectreviews"), "before", 2);
  const stranger = vi.fn();
  confirmToken({ kind: "bearer", token: "made-up" }, { urgent: true }).then(stranger, stranger);
  const askedAt = performance.now();
  expect(await confirmToken(credentials, { urgent: true })).toBe(user.name);
  expect(performance.now() - askedAt).toBeLessThan(5_000);
  expect(stranger).not.toHaveBeenCalled();
  review.release();
  await expect.poll(() => fleet.hasEnded()).toBe(true);
});
