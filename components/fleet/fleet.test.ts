import { describe, expect, it } from "vitest";
import { recogniseApiError } from "./fleet.tsx";

describe("recogniseApiError", () => {
  it.each([
    {
      name: "the older error with the definition",
      text: 'The CustomResourceDefinition "crontabs.stable.example.com" is invalid: status.storedVersions[0]: Invalid value: "v1alpha1": must appear in spec.versions',
      crd: "crontabs.stable.example.com",
      versions: ["v1alpha1"],
    },
    {
      name: "the newer error without the definition",
      text: 'status.storedVersions[1]: Invalid value: "v1beta1": missing from spec.versions; v1beta1 was previously a storage version, and must remain in spec.versions',
      crd: null,
      versions: ["v1beta1"],
    },
    {
      name: "an error escaped in JSON, with two versions",
      text: String.raw`CustomResourceDefinition.apiextensions.k8s.io \"a.b.c\" is invalid: [status.storedVersions[0]: Invalid value: \"v1\": must appear in spec.versions, status.storedVersions[1]: Invalid value: \"v2\": must appear in spec.versions]`,
      crd: "a.b.c",
      versions: ["v1", "v2"],
    },
    {
      name: "another error about a definition",
      text: 'CustomResourceDefinition "a.b" is invalid: spec.group: Required value',
      crd: "a.b",
      versions: [],
    },
  ])("reads $name", ({ text, crd, versions }) => {
    expect(recogniseApiError(text)).toEqual({ crd, versions });
  });

  it.each(["", "crontabs", "status.storedVersions", "stable.example.com/v1"])("ignores %j", (text) => {
    expect(recogniseApiError(text)).toBeNull();
  });
});
