import { Header } from "#components/shell/header.tsx";
import { Title } from "#components/shell/title.tsx";
import { EmptyState } from "#components/ui/empty-state.tsx";
import { ButtonLink } from "#components/ui/form.tsx";

export default function NotFound() {
  return (
    <>
      <Title>Page not found</Title>
      <Header />
      <main id="main" tabIndex={-1} className="outline-none">
        <EmptyState title="Page not found">
          <p>The address may be mistyped or from another version of crdshift.</p>
          <ButtonLink href="/">Go to the definitions</ButtonLink>
        </EmptyState>
      </main>
    </>
  );
}
