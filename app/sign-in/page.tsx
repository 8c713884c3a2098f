import type { Metadata } from "next";
import { Header } from "#components/shell/header.tsx";
import { SignIn } from "#components/sign-in/sign-in.tsx";

export const metadata: Metadata = { title: "Sign in" };

export default function SignInPage() {
  return (
    <>
      <Header />
      <main id="main" tabIndex={-1} className="outline-none">
        <SignIn />
      </main>
    </>
  );
}
