import type { Metadata } from "next";
import { Engines } from "#components/engines/engines.tsx";

export const metadata: Metadata = { title: "Engines" };

export default async function EnginesPage({ params }: PageProps<"/clusters/[cluster]/engines">) {
  const { cluster } = await params;
  return <Engines cluster={decodeURIComponent(cluster)} />;
}
