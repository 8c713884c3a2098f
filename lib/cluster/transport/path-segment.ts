import { AppError } from "#lib/contract/app-error.ts";

/**
 * A name as one segment of an API server's path. The API server decodes an escaped slash: `name%2Fstatus` would be another resource.
 * Source: apimachinery/pkg/api/validation/path/name.go, IsValidPathSegmentName.
 * @throws AppError invalid_input for names that no object can have.
 */
export function pathSegment(name: string): string {
  if (name === "" || name === "." || name === ".." || /[/%]/.test(name)) {
    throw new AppError("invalid_input", `${JSON.stringify(name)} is not a valid Kubernetes name.`, {
      nextStep: "Correct the name.",
    });
  }
  return encodeURIComponent(name);
}
