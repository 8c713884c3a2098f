import type { Crd } from "#lib/domain/definition/crd.ts";

/** crdshift's annotation of a definition, and its maximum size. */
export const RECORD_ANNOTATION = "crdshift.dev/rewrite";
export const RECORD_MAX_BYTES = 16 * 1024;

/** All names and values of annotations. Source: apimachinery/pkg/api/validation/objectmeta.go, TotalAnnotationSizeLimitB. */
const ANNOTATIONS_MAX_BYTES = 256 * 1024;
/** Where client-side `kubectl apply` keeps a copy of the whole definition. */
const LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration";

type Annotated = Pick<Crd, "name" | "otherAnnotations">;

/**
 * Refuses a run or a prune whose record might not fit beside the definition's other annotations, so that no proof is lost for that at its
 * end.
 */
export function recordRoomRefusal(crd: Annotated): { message: string; nextStep: string } | null {
  const isEnough = crd.otherAnnotations.bytes + RECORD_ANNOTATION.length + RECORD_MAX_BYTES <= ANNOTATIONS_MAX_BYTES;
  return isEnough ? null : noRoomForRecord(crd);
}

/** How many bytes an annotation that has the text `now` may have beside a rewrite's record and all others. */
export function roomForAnnotation({ otherAnnotations }: Annotated, name: string, now: string | undefined): number {
  const bytesOf = (text: string) => new TextEncoder().encode(text).length;
  const others = otherAnnotations.bytes - (now === undefined ? 0 : bytesOf(name) + bytesOf(now));
  return Math.max(0, ANNOTATIONS_MAX_BYTES - RECORD_ANNOTATION.length - RECORD_MAX_BYTES - others - bytesOf(name));
}

/** That the record doesn't fit beside the other annotations, and what to remove; null if there are no others. */
export function noRoomForRecord({ name, otherAnnotations: { bytes, largest } }: Annotated): { message: string; nextStep: string } | null {
  if (!largest) return null;
  const remove = `kubectl annotate customresourcedefinition ${name} ${largest.name}-`;
  return {
    message:
      `The definition's annotations leave no room for a rewrite's record, which may take 16 KiB: they take ${kib(bytes)} of the 256 KiB that ` +
      `the API server allows. The largest is ${largest.name} with ${kib(largest.bytes)}.`,
    nextStep:
      largest.name === LAST_APPLIED
        ? `Remove it, and use server-side apply from then on (kubectl apply --server-side), which doesn't need it: ${remove}`
        : `If nothing needs it, remove it: ${remove}`,
  };
}

/** That etcd doesn't take the definition with a record, and what to do. Nobody can tell before it is tried: the limit is a setting of etcd. */
export function noRoomInEtcd({ otherAnnotations: { largest } }: Annotated): { message: string; nextStep: string } {
  return {
    message:
      "The definition leaves no room in etcd for a rewrite's record, which may take 16 KiB: etcd takes objects of 1.5 MiB at most, unless its " +
      `--max-request-bytes is higher.${largest ? ` The largest annotation is ${largest.name} with ${kib(largest.bytes)}.` : ""}`,
    nextStep: "Make its schema smaller, for example its descriptions, remove annotations that nothing needs, or raise --max-request-bytes.",
  };
}

function kib(bytes: number): string {
  return `${Math.ceil(bytes / 1024)} KiB`;
}
