import { decodedParams } from "#app/decoded-params.ts";
import { Shell } from "#components/shell/shell.tsx";

export default async function ClusterLayout({ children, params }: LayoutProps<"/clusters/[cluster]">) {
  const { cluster } = await decodedParams(params);
  return <Shell cluster={cluster}>{children}</Shell>;
}
