// TypeDoc's pages as this reference has them: a page for each member of Fold, in groups by task, and the signature after the
// sentence and the example that say what a function does.
import {
  DeclarationReflection,
  DefaultTheme,
  DefaultThemeRenderContext,
  JSX,
  KindRouter,
  PageKind,
  ReflectionKind,
} from "typedoc";

/** The class whose members have pages, and whose page lists them by task. */
export const isFold = (reflection) =>
  reflection.name === "Fold" && reflection.kindOf(ReflectionKind.Class | ReflectionKind.Interface);

/** The groups that the comments of Fold's members name, in the order of its page. */
export const GROUPS = [
  "Scan and reduce",
  "Map",
  "Select",
  "Sort and rank",
  "Count and find",
  "Runs and positions",
  "Arrays on the GPU",
  "Recordings",
  "Streams",
  "Device",
];

const MEMBER = ReflectionKind.Method | ReflectionKind.Accessor | ReflectionKind.Property;

const isMemberOfFold = (reflection) =>
  reflection instanceof DeclarationReflection &&
  reflection.kindOf(MEMBER) &&
  reflection.parent !== undefined &&
  isFold(reflection.parent);

/** A member as a program writes it. */
export const called = ({ name }) => (name === "[dispose]" ? "fold[Symbol.dispose]" : `fold.${name}`);

/** Pages as TypeDoc's `kind` router has them, and one for each member of Fold. */
export class MemberRouter extends KindRouter {
  getPageKind(target) {
    return isMemberOfFold(target) ? PageKind.Reflection : super.getPageKind(target);
  }

  getIdealBaseName(reflection) {
    return isMemberOfFold(reflection)
      ? `fold/${this.getUrlSafeName(reflection.name.replace("[dispose]", "dispose"))}`
      : super.getIdealBaseName(reflection);
  }
}

const element = JSX.createElement;

/** The comment that says what a name is for: of a function, it stands at its first signature. */
const commentOf = (member) =>
  (member.getSignature ?? member.signatures?.[0] ?? member).comment ?? member.comment;

function firstSentence(comment) {
  const parts = comment?.summary ?? [];
  const at = parts.findIndex(({ kind, text }) => kind === "text" && /\.(\s|$)/.test(text));
  return at < 0
    ? parts
    : [...parts.slice(0, at), { ...parts[at], text: parts[at].text.replace(/\.(?:\s[\s\S]*)?$/, ".") }];
}

const wordsOf = ({ comment }) => comment?.summary.map(({ text }) => text).join("");

/** Whether a signature has the comment of the first one of its function, which TypeDoc gives to all that have none. */
function repeatsFirst(signature) {
  const [first] = signature.parent.signatures;
  return signature !== first && wordsOf(signature) !== undefined && wordsOf(signature) === wordsOf(first);
}

class ReferenceContext extends DefaultThemeRenderContext {
  constructor(...given) {
    super(...given);
    const { breadcrumbs, commentSummary, header, reflectionTemplate } = this;
    this.breadcrumbs = (model) => element("div", { "data-pagefind-ignore": true }, breadcrumbs(model));
    // The site has colours for light and dark, which the system chooses.
    this.settings = () => element(JSX.Fragment, null);
    this.commentShortSummary = (member) => this.displayParts(firstSentence(commentOf(member)));
    // The body of a signature begins with its sentences: the examples and the signature itself follow them at once.
    let opening;
    this.memberSignatures = ({ signatures = [] }) =>
      element(
        "ul",
        { class: "tsd-signatures" },
        signatures.map((signature) => {
          opening = signature;
          return element("li", null, this.memberSignatureBody(signature));
        }),
      );
    this.commentSummary = (reflection) =>
      reflection === opening ? this.#opening(reflection, commentSummary) : commentSummary(reflection);
    this.header = (props) => {
      const title = isFold(props.model)
        ? "Fold"
        : isMemberOfFold(props.model)
          ? called(props.model)
          : undefined;
      return title === undefined
        ? header(props)
        : element(
            "div",
            { class: "tsd-page-title" },
            this.breadcrumbs(props.model),
            element("h1", { "data-pagefind-weight": "10" }, title),
          );
    };
    this.reflectionTemplate = (props) => {
      const { model } = props;
      if (isFold(model)) {
        return this.moduleReflection(model);
      }
      return isMemberOfFold(model) && model.signatures === undefined
        ? element("section", { class: "tsd-panel" }, this.#value(model))
        : reflectionTemplate(props);
    };
  }

  #value(member) {
    return member.hasGetterOrSetter() ? this.memberGetterSetter(member) : this.memberDeclaration(member);
  }

  #opening(signature, commentSummary) {
    const examples = signature.comment?.getTags("@example") ?? [];
    const repeats = repeatsFirst(signature);
    for (const tag of repeats ? signature.comment.blockTags : examples) {
      tag.skipRendering = true;
    }
    return element(
      JSX.Fragment,
      null,
      repeats
        ? undefined
        : [commentSummary(signature), ...examples.map(({ content }) => this.displayParts(content))],
      element(
        "div",
        { class: "tsd-signature", id: this.getAnchor(signature) },
        this.memberSignatureTitle(signature),
      ),
    );
  }
}

/** TypeDoc's own theme, with these pages. */
export class ReferenceTheme extends DefaultTheme {
  ContextClass = ReferenceContext;

  /** `openFold` and Fold come first in their module, and Fold has its members by task. */
  buildNavigation(project) {
    const navigation = super.buildNavigation(project);
    for (const fold of project
      .getReflectionsByKind(ReflectionKind.Class | ReflectionKind.Interface)
      .filter(isFold)) {
      const path = this.router.getFullUrl(fold);
      const module = navigation.find(({ children }) => children?.some((child) => child.path === path));
      const entry = module.children.find((child) => child.path === path);
      const [opening, others] = [true, false].map((first) =>
        module.children.filter((child) => child !== entry && (child.text === "openFold") === first),
      );
      module.children = [...opening, entry, ...others];
      entry.children = fold.groups.map(({ title, children }) => ({
        text: title,
        children: children.map((child) => ({
          text: child.name,
          path: this.router.getFullUrl(child),
          kind: child.kind,
        })),
      }));
    }
    return navigation;
  }
}
