import type { Metadata } from "next";
import { Fleet } from "#components/fleet/fleet.tsx";

export async function generateMetadata({ params }: PageProps<"/clusters/[cluster]">): Promise<Metadata> {
  return { title: (await params).cluster };
}

export default async function FleetPage({ params }: PageProps<"/clusters/[cluster]">) {
  const { cluster } = await params;
  return <Fleet cluster={decodeURIComponent(cluster)} />;
}
