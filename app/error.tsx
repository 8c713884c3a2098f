"use client";

import { Header } from "#components/shell/header.tsx";
import { Title } from "#components/shell/title.tsx";
import { CodeBlock } from "#components/ui/code.tsx";
import { EmptyState } from "#components/ui/empty-state.tsx";
import { Button } from "#components/ui/form.tsx";

export default function ErrorPage({ error, reset }: { error: Error & { digest?: string }; reset: () => void }) {
  return (
    <>
      <Title>Something went wrong</Title>
      <Header />
      <main id="main" tabIndex={-1} className="outline-none">
        <EmptyState title="Something went wrong">
          <p>This is a bug in crdshift, not a problem in your cluster. Rewrites run on the server and aren't affected.</p>
          <div className="w-full">
            <CodeBlock text={error.digest ? `${error.message} (${error.digest})` : error.message} copyLabel="Copy the error" />
          </div>
          <Button onClick={reset}>Try again</Button>
        </EmptyState>
      </main>
    </>
  );
}
