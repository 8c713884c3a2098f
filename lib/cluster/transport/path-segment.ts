import { AppError } from "#lib/contract/app-error.ts";

/**
 * A name as one segment of an API server's path. It decodes an escaped slash: `name%2Fstatus` would be another resource.
 * Source: apimachinery/pkg/api/validation/path/name.go, IsValidPathSegmentName.
 * @throws AppError invalid_input for what no object can be called.
 */
export function pathSegment(name: string): string {
  if (name === "" || name === "." || name === ".." || /[/%]/.test(name)) {
    throw new AppError("invalid_input", `Nothing in Kubernetes can have the name ${JSON.stringify(name)}.`, {
      nextStep: "Correct the name.",
    });
  }
  return encodeURIComponent(name);
}
