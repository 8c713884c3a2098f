import { DefinitionScope } from "#components/shared/breadcrumbs.tsx";

export default async function DefinitionLayout({ children, params }: LayoutProps<"/clusters/[cluster]/crds/[crd]">) {
  const { cluster, crd } = await params;
  return (
    <DefinitionScope cluster={decodeURIComponent(cluster)} crd={decodeURIComponent(crd)}>
      {children}
    </DefinitionScope>
  );
}
