import { expect, test } from "vitest";
import { whyUnaddressable } from "./why-unaddressable.ts";

test.each([
  { scope: "Namespaced", namespace: "default", name: "one", why: null },
  { scope: "Cluster", namespace: "", name: "one", why: null },
  // Older definitions had them, and the API server serves them.
  { scope: "Cluster", namespace: "", name: "Odd_Name", why: null },
  { scope: "Cluster", namespace: "default", name: "one", why: "It is listed in namespace default, but the definition's scope is Cluster" },
  { scope: "Namespaced", namespace: "", name: "one", why: "It is listed in no namespace, but the definition's scope is Namespaced" },
  { scope: "Namespaced", namespace: "default", name: "one/status", why: "Its name or namespace isn't valid" },
  { scope: "Namespaced", namespace: "..", name: "one", why: "Its name or namespace isn't valid" },
  { scope: "Cluster", namespace: "", name: "", why: "Its name or namespace isn't valid" },
] as const)("$namespace/$name with scope $scope", ({ scope, namespace, name, why }) => {
  const told = whyUnaddressable({ scope }, { namespace, name });
  if (why === null) expect(told).toBeNull();
  else expect(told).toContain(why);
});
