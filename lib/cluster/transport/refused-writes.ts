import type { ClusterAnswer } from "./cluster-answer.ts";
import { isConversionFailure } from "./conversion-failures.ts";

/**
 * Whether an admission webhook or policy denied a write. Both choose status, reason and details freely: a webhook's NotFound may name a
 * Secret. Sources: apiserver/pkg/admission/plugin/webhook/errors/statuserror.go (ToStatusErr), plugin/policy/validating/dispatcher.go.
 */
export function isAdmissionDenial({ message }: ClusterAnswer): boolean {
  return /^admission webhook "[^"]*" denied the request|(Validating|Mutating)AdmissionPolicy '[^']*' with binding '[^']*' denied request/.test(
    message,
  );
}

/** Whether the API server refused a write because all annotations of the object share 256 KiB. */
export function lacksRoomForAnnotations({ status, fields }: ClusterAnswer): boolean {
  return status === 422 && fields.some(({ field, message }) => field === "metadata.annotations" && /^too long/i.test(message));
}

/** Whether etcd refused a write because the whole object is too large for it. Source: etcd api/v3/v3rpc/rpctypes/error.go. */
export function isTooLargeForEtcd({ message }: ClusterAnswer): boolean {
  return message.includes("etcdserver: request is too large");
}

/**
 * Whether the answer to a write says that nothing was stored: also if an admission webhook or policy denied it, or its webhook can't be
 * called, or etcd took no object of that size. Something in front of the API server may answer 408 or 5xx for it.
 * Source: apiserver/pkg/admission/plugin/webhook/errors/statuserror.go.
 */
export function isRefusedBeforeStored(answer: ClusterAnswer): boolean {
  if (isConversionFailure(answer)) return false;
  if (answer.status < 500) return answer.status !== 408;
  const isUncalled = /^Internal error occurred: failed calling webhook "/.test(answer.message);
  return isUncalled || isAdmissionDenial(answer) || isTooLargeForEtcd(answer);
}
