import { describe, expect, test } from "vitest";
import type { Reported } from "../../src/cli/issue_link.ts";
import { issueLink, repositoryAddress } from "../../src/cli/issue_link.ts";

const reported: Reported = {
  summary: "Wavefold does not work here: 1 of 2 checks failed",
  versions: { wavefold: "1.2.3", webgpu: null },
  verdicts: [{ about: "adapter", state: "failed", text: 'it is "new" & 100 % wrong' }],
};

describe("the address of the repository", () => {
  test.each([
    ["https://example.org/a/b.git", "https://example.org/a/b"],
    ["git+https://github.com/a/b.git", "https://github.com/a/b"],
    ["git+ssh://git@github.com/a/b.git", "https://github.com/a/b"],
    ["git@github.com:a/b.git", "https://github.com/a/b"],
    ["git://github.com/a/b.git", "https://github.com/a/b"],
    ["http://github.com/a/b/", "https://github.com/a/b"],
    ["github:a/b.js", "https://github.com/a/b.js"],
    ["gitlab:a/b", "https://gitlab.com/a/b"],
    ["a/b", "https://github.com/a/b"],
  ])("%s", (given, wanted) => {
    expect(repositoryAddress({ repository: given })).toBe(wanted);
    expect(repositoryAddress({ repository: { url: given } })).toBe(wanted);
  });

  test.each(["", "gist:11081aaa281", "nowhere:a/b", "a", "javascript:alert(1)", "file:///a/b"])(
    "is none of %j",
    (given) => {
      expect(repositoryAddress({ repository: given })).toBeUndefined();
      expect(issueLink({ repository: given }, reported)).toBeUndefined();
    },
  );

  test("is not there as long as package.json has none", () => {
    expect(repositoryAddress({})).toBeUndefined();
    expect(issueLink({}, reported)).toBeUndefined();
    expect(issueLink({ bugs: { url: "mailto:a@example.org" } }, reported)).toBeUndefined();
  });
});

describe("the link that opens an issue", () => {
  const paramsOf = (href: string | undefined) => {
    const { origin, pathname, searchParams } = new URL(href ?? "about:blank");
    return { address: `${origin}${pathname}`, ...Object.fromEntries(searchParams) };
  };
  const body = `\`\`\`text
Wavefold does not work here: 1 of 2 checks failed.

wavefold 1.2.3
webgpu not installed

failed adapter: it is "new" & 100 % wrong
\`\`\`
`;

  test.each([
    [{ repository: "a/b" }, "https://github.com/a/b/issues/new"],
    [{ bugs: "https://github.com/c/d/issues", repository: "a/b" }, "https://github.com/c/d/issues/new"],
    [{ bugs: { url: "https://tracker.example.org/new" } }, "https://tracker.example.org/new"],
  ])("is filled: %j", (places, address) => {
    expect(paramsOf(issueLink(places, reported))).toEqual({ address, title: reported.summary, body });
  });

  test("is filled by GitLab's names there", () => {
    const wanted = { "issue[title]": reported.summary, "issue[description]": body };
    for (const places of [{ repository: "gitlab:a/b" }, { bugs: "https://gitlab.com/a/b/-/issues" }]) {
      const address = "https://gitlab.com/a/b/-/issues/new";
      expect(paramsOf(issueLink(places, reported))).toEqual({ address, ...wanted });
    }
  });

  test("is no longer than hosts take, and ends where it was cut", () => {
    const verdicts = Array.from({ length: 500 }, (_, at) => ({
      ...{ about: `check ${at}`, state: "failed" as const, text: "é 😀 is wrong" },
    }));
    const link = issueLink({ repository: "a/b" }, { ...reported, verdicts });
    expect(link?.length).toBeLessThan(6001);
    expect(link?.length).toBeGreaterThan(5000);
    expect(new URL(link ?? "").searchParams.get("body")).toMatch(/ …\n```\n$/);
  });
});
