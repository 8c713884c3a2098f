import { AppError } from "#lib/contract/app-error.ts";
import type { Crd } from "#lib/domain/definition/crd.ts";

/**
 * The error for a definition as read that is an older state than crdshift knows of it. A write would make it the newest, and nothing would
 * show any more that etcd was restored.
 */
export function olderState({ name }: Pick<Crd, "name">): AppError {
  return new AppError("precondition_failed", `etcd was restored from a backup: ${name} is older than crdshift knows it.`, {
    nextStep: "Wait until crdshift has listed the definitions again, within a minute. Check that this one is what you expect, then retry.",
  });
}
