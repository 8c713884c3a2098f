import { onTestFinished } from "vitest";
import type { ApiClient } from "#lib/local-cluster/api-client.ts";
import { type CreatedUser, createUser } from "./create-user.ts";

/** A service account, for this test, that may do what the rules say and nothing else. */
export async function restrictedUser(api: ApiClient, rules: object[]): Promise<CreatedUser> {
  const user = await createUser(api, rules);
  onTestFinished(() => user.remove());
  return user;
}
