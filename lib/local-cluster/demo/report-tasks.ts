import type { DemoCrd } from "./demo-crd.ts";
import { namespacedObjects, pick } from "./demo-objects.ts";
import { integer, string } from "./schemas.ts";

const common = { report: string, recipient: string };
const unparsable = 41;

/**
 * One of these has a schedule that conversion-webhook.ts can't convert, so no list at v1 succeeds, and its error names no
 * object. This went unnoticed while v1beta1 was the storage version, as nothing was converted. The webhook's bundle also
 * holds a certificate that expires within weeks.
 */
export const reportTasks: DemoCrd = {
  group: "analytics.example.com",
  kind: "ReportTask",
  plural: "reporttasks",
  scope: "Namespaced",
  versions: [
    { name: "v1beta1", spec: { ...common, schedule: string }, columns: ["report", "schedule"] },
    { name: "v1", storage: true, spec: { ...common, intervalMinutes: integer }, columns: ["report", "intervalMinutes"] },
  ],
  createdAs: "v1beta1",
  fieldManager: "report-scheduler",
  conversion: { by: "demo-webhook", ca: "rotating" },
  objects: namespacedObjects(60, "report", (index) => ({
    report: pick(["usage", "revenue", "churn"], index),
    recipient: `${pick(["finance", "product"], index)}@example.com`,
    schedule: index === unparsable ? "every 5th" : `every ${pick([5, 15, 60], index)} minutes`,
  })),
};
