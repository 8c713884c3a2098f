import { expect, test } from "vitest";
import { refusalWords } from "./refusal-words.ts";

const message = (user: string, what = 'create resource "selfsubjectreviews" in API group "authentication.k8s.io" at the cluster scope') =>
  `selfsubjectreviews.authentication.k8s.io is forbidden: User "${user}" cannot ${what}`;

// With the name as it stands there, whoever is called that literally shares the other one's places and turns.
test("a name is read as it is, not as the API server escapes it", () => {
  expect(refusalWords(message("Jane &lt;jane@x&gt; R&amp;D"))).toMatchObject({ user: "Jane <jane@x> R&D", resource: "selfsubjectreviews" });
  expect(refusalWords(message("a&amp;lt;b"))?.user).toBe("a&lt;b");
});

test("a name with one of Go's escapes is left unread, and its quote ends nothing", () => {
  expect(refusalWords(message('a\\" cannot list resource \\"b'))).toEqual({ user: null, verb: "create", resource: "selfsubjectreviews" });
  expect(refusalWords("the authorizer says no")).toBeNull();
});
