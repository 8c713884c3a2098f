import type { Metadata } from "next";
import { Definition } from "#components/definition/definition.tsx";

export async function generateMetadata({ params }: PageProps<"/clusters/[cluster]/crds/[crd]">): Promise<Metadata> {
  return { title: (await params).crd };
}

export default async function DefinitionPage({ params }: PageProps<"/clusters/[cluster]/crds/[crd]">) {
  const { cluster, crd } = await params;
  return <Definition cluster={decodeURIComponent(cluster)} crd={decodeURIComponent(crd)} />;
}
