import { afterEach, expect, test, vi } from "vitest";
import { connect } from "#lib/cluster/connection/connect.ts";
import { credentialsId } from "#lib/cluster/connection/credentials.ts";
import { peoplesCluster } from "#lib/cluster/testing/peoples-cluster.ts";
import { confirmedName, confirmToken, isRejected } from "./confirm-token.ts";
import { signIn } from "./sign-in.ts";

afterEach(() => void vi.unstubAllEnvs());

const ignored = { kind: "bearer", token: "ignored" } as const;

// Without reviewToken (review-token.ts) whoever sends any token to a cluster that ignores it counts as a person.
test("a token that the cluster treats as anonymous is rejected in a header", async () => {
  await peoplesCluster("ignores tokens", () => "system:anonymous");
  const connection = await connect("ignores tokens", ignored);
  await expect(confirmToken(ignored)).rejects.toMatchObject({ code: "unauthenticated", details: { signIn: true, ended: "token-refused" } });
  expect([isRejected(credentialsId(ignored)), confirmedName(credentialsId(ignored))]).toEqual([true, null]);
  expect(await connect("ignores tokens", ignored)).not.toBe(connection);
});

test("a token that the cluster treats as anonymous signs nobody in, and is not remembered", async () => {
  await peoplesCluster("ignores tokens, too", () => "system:anonymous");
  vi.stubEnv("CRDSHIFT_MODE", "token");
  await expect(signIn({ token: "ignored" }, AbortSignal.timeout(30_000))).rejects.toMatchObject({
    code: "unauthenticated",
    message: "The cluster rejected the token.",
    clusterMessage: "userInfo.username: system:anonymous",
  });
  expect(confirmedName(credentialsId(ignored))).toBe(null);
});
