import type { Verdict } from "./verdicts.ts";

/** What package.json says of where the sources and the issues are: `repository` and `bugs`, in each form that npm takes. */
export interface Places {
  readonly repository?: string | { readonly url?: string };
  readonly bugs?: string | { readonly url?: string };
}

/** What an issue says of a machine. */
export interface Reported {
  readonly summary: string;
  readonly versions: Readonly<Record<string, string | null>>;
  readonly verdicts: readonly Verdict[];
}

/** Hosts refuse addresses of more than about 8,000 characters, and a space takes three of them. */
const MOST_CHARACTERS = 6000;

/** npm's short forms, such as `github:owner/name`; without a host, it is GitHub. */
const hosts: Readonly<Record<string, string>> = {
  github: "github.com",
  gitlab: "gitlab.com",
  bitbucket: "bitbucket.org",
};

const urlOf = (one: Places["repository"]): string =>
  ((typeof one === "string" ? one : one?.url) ?? "").trim();

/** The page of the repository; undefined if package.json names none. */
export function repositoryAddress({ repository }: Places): string | undefined {
  const url = urlOf(repository)
    .replace(/^git\+/, "")
    .replace(/\/+$/, "")
    .replace(/\.git$/, "");
  const [, host = "github", path] = /^(?:(\w+):)?([\w.-]+\/[\w.-]+)$/.exec(url) ?? [];
  if (path !== undefined) {
    const name = hosts[host];
    return name === undefined ? undefined : `https://${name}/${path}`;
  }
  // git@github.com:owner/name is how SSH has it.
  const ssh = /^(?:ssh:\/\/)?[\w-]+@([\w.-]+)[:/](.+)$/.exec(url);
  const address = ssh ? `https://${ssh[1]}/${ssh[2]}` : url.replace(/^(?:git|http):/, "https:");
  return /^https:\/\/[^/]+\/./.test(address) ? address : undefined;
}

/** Where issues are opened; undefined if package.json has no place for them. */
function newIssueAddress(places: Places): string | undefined {
  const bugs = urlOf(places.bugs).replace(/\/+$/, "");
  if (/^https?:\/\//.test(bugs)) {
    // The list of issues has the form beside it. Another tracker's address is taken as it is.
    return /\/issues$/.test(bugs) ? `${bugs}/new` : bugs;
  }
  const repository = repositoryAddress(places);
  return repository && `${repository}${/^https:\/\/gitlab\./.test(repository) ? "/-" : ""}/issues/new`;
}

const textOf = ({ summary, versions, verdicts }: Reported): string =>
  [
    `${summary}.`,
    "",
    ...Object.entries(versions).map(([name, version]) => `${name} ${version ?? "not installed"}`),
    "",
    ...verdicts.map(({ about, state, text }) => `${state} ${about}: ${text}`),
  ].join("\n");

/** A link that opens an issue with a report of what was found, as far as an address may be long; undefined if there is no place for issues. */
export function issueLink(places: Places, reported: Reported): string | undefined {
  const address = newIssueAddress(places);
  if (address === undefined || !URL.canParse(address)) {
    return undefined;
  }
  const link = new URL(address);
  // Each host has names of its own for what a form is filled with.
  const isGitLab = link.hostname.startsWith("gitlab.");
  const [title, body] = isGitLab ? ["issue[title]", "issue[description]"] : ["title", "body"];
  link.searchParams.set(title, reported.summary);
  const text = textOf(reported);
  for (let length = text.length; ; length = Math.floor(length * 0.9)) {
    const shown = length < text.length ? `${text.slice(0, length)} …` : text;
    link.searchParams.set(body, `\`\`\`text\n${shown}\n\`\`\`\n`);
    if (link.href.length <= MOST_CHARACTERS || length < 100) {
      return link.href;
    }
  }
}
