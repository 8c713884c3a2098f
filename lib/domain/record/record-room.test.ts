import { expect, test } from "vitest";
import { objectWriteRefusal, pruneRefusal, rewriteRefusal } from "#lib/domain/rewrite/refusals.ts";
import { provenCrd, sampleCrd } from "#lib/domain/testing/sample-crd.ts";
import { recordRoomRefusal, roomForAnnotation } from "./record-room.ts";

const KIB = 1024;
const NOW = Date.parse("2026-01-02T12:00:00.000Z");
const LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration";

const withAnnotations = (bytes: number, largest = { name: "example.com/notes", bytes: 200 * KIB }) =>
  sampleCrd({ otherAnnotations: { bytes, largest } });

test("a run needs room for 16 KiB beside the other annotations", () => {
  const most = (256 - 16) * KIB - "crdshift.dev/rewrite".length;
  expect(rewriteRefusal(withAnnotations(most), NOW)).toBeNull();
  expect(rewriteRefusal(withAnnotations(most + 1), NOW)).not.toBeNull();
});

test("the refusal names the largest annotation, and how to remove it", () => {
  expect(rewriteRefusal(withAnnotations(250 * KIB), NOW)).toEqual({
    message:
      "The definition's annotations leave no room for a rewrite's record, which may take 16 KiB: they take 250 KiB of the 256 KiB that the API " +
      "server allows. The largest is example.com/notes with 200 KiB.",
    nextStep: "If nothing needs it, remove it: kubectl annotate customresourcedefinition crontabs.example.com example.com/notes-",
  });
});

test("for the copy that kubectl apply keeps, it names server-side apply", () => {
  const refusal = recordRoomRefusal(withAnnotations(250 * KIB, { name: LAST_APPLIED, bytes: 240 * KIB }));
  expect(refusal?.nextStep).toMatch(
    /kubectl apply --server-side.*kubectl annotate customresourcedefinition \S+ \S+last-applied-configuration-$/,
  );
});

// Without recordRoomRefusal in pruneRefusal (refusals.ts) a prune is offered that fails.
test("a prune, which is recorded before it is written, is refused like a run", () => {
  const { otherAnnotations } = withAnnotations(250 * KIB);
  expect(pruneRefusal(provenCrd(), NOW)).toBeNull();
  expect(pruneRefusal(provenCrd({ otherAnnotations }), NOW)).toEqual(rewriteRefusal(withAnnotations(250 * KIB), NOW));
});

test("what writes no run's record is not refused for that", () => {
  const crd = withAnnotations(250 * KIB);
  expect(objectWriteRefusal(crd, NOW)).toBeNull();
  expect(pruneRefusal(crd, NOW)?.message).not.toContain("annotations");
});

test("another annotation may have what the others and a record leave, in place of what it has", () => {
  const crd = sampleCrd({ otherAnnotations: { bytes: 200 * 1024, largest: null } });
  const left = 256 * 1024 - 200 * 1024 - 16 * 1024 - "crdshift.dev/rewrite".length - "name".length;
  expect(roomForAnnotation(crd, "name", undefined)).toBe(left);
  expect(roomForAnnotation(crd, "name", "é")).toBe(left + "name".length + 2);
  expect(roomForAnnotation(sampleCrd({ otherAnnotations: { bytes: 250 * 1024, largest: null } }), "name", undefined)).toBe(0);
});
