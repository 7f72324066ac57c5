export function byName(code: string, path: string): string;
export function tableOf(text: string, path: string, name: string): string;
