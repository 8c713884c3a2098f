import { mutationOptions } from "@tanstack/react-query";
import { z } from "zod";
import type { SignIn } from "#lib/contract/session.ts";
import { postJson } from "#lib/queries/api-client.ts";
import { leavePage, SIGN_IN_PATH } from "./leave-page.ts";
import { tellTabs } from "./session-news.ts";
import { readSession } from "./session-query.ts";

const doneSchema = z.object({});

/** Signs in and leaves for `to`. Returns whether that worked: a browser may refuse the cookie. */
export function signIn(to: string) {
  return mutationOptions({
    mutationFn: async (body: SignIn) => {
      await postJson("/api/sign-in", body, doneSchema);
      const { signedIn } = await readSession(new AbortController().signal);
      return { signedIn };
    },
    onSuccess: ({ signedIn }) => {
      if (!signedIn) return;
      tellTabs("signed-in");
      leavePage(to);
    },
  });
}

/** Ends the session and leaves for the sign-in page. */
export function signOut() {
  return mutationOptions({
    mutationFn: () => postJson("/api/sign-out", {}, doneSchema),
    onSuccess: (_done, _nothing, _result, { client }) => {
      leavePage(SIGN_IN_PATH);
      tellTabs("signed-out");
      client.clear();
    },
  });
}
