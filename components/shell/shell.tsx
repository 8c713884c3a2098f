import type { ReactNode } from "react";
import { LivenessProvider } from "#lib/queries/liveness.tsx";
import { ClusterSwitcher } from "./cluster-switcher.tsx";
import { Header } from "./header.tsx";
import { LivenessMark } from "./liveness-mark.tsx";
import { PageLinks } from "./page-links.tsx";
import { StaleBanner } from "./stale-banner.tsx";

/** What stands around every page of a cluster. */
export function Shell({ cluster, children }: { cluster: string; children: ReactNode }) {
  return (
    <LivenessProvider key={cluster} cluster={cluster}>
      <Header
        clusterSwitcher={<ClusterSwitcher cluster={cluster} />}
        pageLinks={<PageLinks cluster={cluster} />}
        liveness={<LivenessMark />}
      />
      <StaleBanner cluster={cluster} />
      <main id="main" tabIndex={-1} className="mx-auto w-full max-w-[1600px] px-4 pb-16 outline-none sm:px-6">
        {children}
      </main>
    </LivenessProvider>
  );
}
