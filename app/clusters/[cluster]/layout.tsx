import { Shell } from "#components/shell/shell.tsx";

export default async function ClusterLayout({ children, params }: LayoutProps<"/clusters/[cluster]">) {
  const { cluster } = await params;
  return <Shell cluster={decodeURIComponent(cluster)}>{children}</Shell>;
}
