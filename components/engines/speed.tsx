import { formatCount, formatCountOf } from "#components/ui/format-count.ts";
import { type Measured, measured } from "./measured.ts";

/** How fast an engine was when it was measured. */
export function Speed({ engine }: { engine: keyof Measured["engines"] }) {
  if (!measured) return <>not measured yet</>;
  const { seconds, objectsPerSecond } = measured.engines[engine];
  return (
    <>
      {formatCount(Math.round(objectsPerSecond))} objects/s: {formatCountOf(measured.objects, "object")} in{" "}
      {formatCount(Math.round(seconds))} s
    </>
  );
}

/** What was measured, where and when, and what stands between the engines and nothing. */
export function SpeedNote() {
  if (!measured) return <p>No speed is told before it was measured: npm run bench does so and writes the figures down.</p>;
  return (
    <p>
      Speed as npm run bench measured it on {measured.measuredAt.slice(0, 10)}, on {measured.machine} with Kubernetes {measured.kubernetes}:
      crdshift's with its verification, without the settle wait. On the same cluster, kubectl get and replace:{" "}
      <Speed engine="kubectlReplace" />. A bare loop of patches, which is the limit: <Speed engine="bareLoop" />. Elsewhere it will differ.
    </p>
  );
}
