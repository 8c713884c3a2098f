import { onTestFinished, vi } from "vitest";

/** From now on, and for this test, crdshift is configured with these endpoints of etcd, and with what else is given. */
export function chooseEtcd(endpoints: string, more: { CACERT?: string; CERT?: string; KEY?: string; PREFIX?: string } = {}): void {
  onTestFinished(() => void vi.unstubAllEnvs());
  vi.stubEnv("CRDSHIFT_ETCD_ENDPOINTS", endpoints);
  for (const [name, value] of Object.entries(more)) vi.stubEnv(`CRDSHIFT_ETCD_${name}`, value);
}
