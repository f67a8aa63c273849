import { DOCS } from '../links.ts';

/** Report of the gallery. Its name is the anchor of its section, and the name of its files. */
export interface GalleryReport {
  readonly name: string;
  /** Its source, relative to the root of the repository. */
  readonly from: string;
  /** A run, or series in the format of github-action-benchmark. */
  readonly kind: 'run' | 'history';
}

/** In the order of the page. */
export const GALLERY: readonly GalleryReport[] = [
  {
    name: 'a-run',
    from: 'tests/fixtures/gallery/a-run.json.gz',
    kind: 'run',
  },
  {
    name: 'a-regression',
    from: 'tests/fixtures/gallery/a-regression.json.gz',
    kind: 'run',
  },
  {
    name: 'an-unchanged-comparison',
    from: 'tests/fixtures/recorded/unchanged-processes-quiet.json.gz',
    kind: 'run',
  },
  {
    name: 'a-study',
    from: 'tests/fixtures/gallery/a-study.json.gz',
    kind: 'run',
  },
  {
    name: 'a-trend-page',
    from: 'tests/fixtures/histories/microsoft-identity-web.json',
    kind: 'history',
  },
];

/** Document that shows them. */
export const GALLERY_PAGE = `${DOCS}/gallery.md`;

/** Folder in which they are made, from the root of the repository. */
export const MADE_IN = 'build/reports';

/** Folder on the site. */
export const ON_SITE = 'reports';

/** Page of a report, in either folder. */
export function pageOf({ name, kind }: GalleryReport): string {
  return kind === 'history' ? `${name}/index.html` : `${name}.html`;
}
