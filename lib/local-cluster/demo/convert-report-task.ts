export interface ReportTask {
  apiVersion: string;
  kind: "ReportTask";
  spec?: { schedule?: string; intervalMinutes?: number; [field: string]: unknown };
  [field: string]: unknown;
}

/**
 * A ReportTask in another version: v1beta1 has schedule ("every 15 minutes"), v1 has intervalMinutes. Like many a webhook,
 * it gives up on a schedule that it can't parse, in an error that doesn't say whose.
 */
export function convertReportTask(task: ReportTask, desiredApiVersion: string): ReportTask {
  if (task.apiVersion === desiredApiVersion || !task.spec) return { ...task, apiVersion: desiredApiVersion };
  const { schedule, intervalMinutes, ...rest } = task.spec;
  const times = desiredApiVersion.endsWith("/v1") ? parseSchedule(schedule) : writeSchedule(intervalMinutes);
  return { ...task, apiVersion: desiredApiVersion, spec: { ...rest, ...times } };
}

function parseSchedule(schedule: string | undefined): { intervalMinutes?: number } {
  if (schedule === undefined) return {};
  const minutes = /^every (\d+) minutes$/.exec(schedule)?.[1];
  if (minutes === undefined) throw new Error(`spec.schedule ${JSON.stringify(schedule)} can't be parsed`);
  return { intervalMinutes: Number(minutes) };
}

function writeSchedule(intervalMinutes: number | undefined): { schedule?: string } {
  return intervalMinutes === undefined ? {} : { schedule: `every ${intervalMinutes} minutes` };
}
