import { Header } from "#components/shell/header.tsx";
import { Title } from "#components/shell/title.tsx";
import { SignIn } from "#components/sign-in/sign-in.tsx";

export default function SignInPage() {
  return (
    <>
      <Title>Sign in</Title>
      <Header />
      <main id="main" tabIndex={-1} className="outline-none">
        <SignIn />
      </main>
    </>
  );
}
