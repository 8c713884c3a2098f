import type { Metadata } from "next";
import { ObjectView } from "#components/objects/object-view.tsx";
import { shownName } from "#lib/domain/wording/quoted.ts";

type Props = PageProps<"/clusters/[cluster]/crds/[crd]/objects/[name]">;

export async function generateMetadata({ params }: Props): Promise<Metadata> {
  return { title: shownName(decodeURIComponent((await params).name)) };
}

export default async function ObjectPage({ params }: Props) {
  const { cluster, crd, name } = await params;
  return <ObjectView cluster={decodeURIComponent(cluster)} crd={decodeURIComponent(crd)} name={decodeURIComponent(name)} />;
}
