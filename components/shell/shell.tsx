import type { ReactNode } from "react";
import { LivenessProvider } from "#lib/queries/liveness.tsx";
import { ClusterSwitcher } from "./cluster-switcher.tsx";
import { EndingBanner } from "./ending-banner.tsx";
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
      {/* As high as the screen less the header and a line at its end, so that what stands below stands at the screen's end. */}
      <main
        id="main"
        tabIndex={-1}
        className="mx-auto min-h-[calc(100dvh-82px)] w-full max-w-[1600px] px-4 pb-16 outline-none sm:px-6 print:min-h-0"
      >
        {children}
      </main>
      <EndingBanner />
    </LivenessProvider>
  );
}
