export interface CronTab {
  apiVersion: string;
  kind?: "CronTab";
  spec?: { hostPort?: string; host?: string; port?: string; [field: string]: unknown };
  [field: string]: unknown;
}

/** A CronTab in another version: v1beta1 has hostPort, v1 has host and port. Nothing is lost either way. */
export function convertCronTab(cronTab: CronTab, desiredApiVersion: string): CronTab {
  if (cronTab.apiVersion === desiredApiVersion || !cronTab.spec) return { ...cronTab, apiVersion: desiredApiVersion };
  const { hostPort, host, port, ...rest } = cronTab.spec;
  const address = desiredApiVersion.endsWith("/v1") ? splitHostPort(hostPort) : joinHostPort(host, port);
  return { ...cronTab, apiVersion: desiredApiVersion, spec: { ...rest, ...address } };
}

function splitHostPort(hostPort: string | undefined) {
  if (hostPort === undefined) return {};
  const colon = hostPort.lastIndexOf(":");
  return colon < 0 ? { host: hostPort } : { host: hostPort.slice(0, colon), port: hostPort.slice(colon + 1) };
}

function joinHostPort(host: string | undefined, port: string | undefined): { hostPort?: string } {
  if (host === undefined && port === undefined) return {};
  return { hostPort: port === undefined ? (host ?? "") : `${host ?? ""}:${port}` };
}
