import * as z from 'zod';
import { scalar } from '../../../foundation/names.ts';
import { quantity } from '../manifests.ts';

const NEEDS_MORE = 'needs more rights than a pod for a measurement may have';

const off = z.literal(false, NEEDS_MORE).optional();

/** Default capabilities of containers, which a pod may request under the Kubernetes standard "baseline". */
const CAPABILITIES = [
  ...['AUDIT_WRITE', 'CHOWN', 'DAC_OVERRIDE', 'FOWNER', 'FSETID', 'KILL', 'MKNOD', 'NET_BIND_SERVICE'],
  ...['SETFCAP', 'SETGID', 'SETPCAP', 'SETUID', 'SYS_CHROOT'],
];

const profile = z.looseObject({ type: z.string().refine((type) => type !== 'Unconfined', NEEDS_MORE) }).optional();

const securityContext = z
  .looseObject({
    privileged: off,
    capabilities: z.looseObject({ add: z.array(z.enum(CAPABILITIES, NEEDS_MORE)).optional() }).optional(),
    seLinuxOptions: z.undefined(NEEDS_MORE).optional(),
    windowsOptions: z.undefined(NEEDS_MORE).optional(),
    sysctls: z.array(z.unknown()).max(0, NEEDS_MORE).optional(),
    procMount: z.literal('Default', NEEDS_MORE).optional(),
    seccompProfile: profile,
    appArmorProfile: profile,
  })
  .optional();

const amounts = z
  .record(
    z.string(),
    scalar.refine((text) => !Number.isNaN(quantity(text)), 'must be a quantity, like 500m or 1Gi'),
  )
  .default({});

const containers = z.array(
  z
    .looseObject({
      name: z.string(),
      image: z.string().optional(),
      env: z.array(z.looseObject({ name: z.string() })).default([]),
      ports: z.array(z.looseObject({ hostPort: z.literal(0, NEEDS_MORE).optional() })).optional(),
      resources: z.object({ limits: amounts }).prefault({}),
      securityContext,
      volumeMounts: z.array(z.looseObject({ mountPath: z.string() })).default([]),
    })
    // Probes would load services, and end them at saturation.
    .transform(({ livenessProbe, readinessProbe, startupProbe, ...container }) => container),
);

const VOLUMES = ['name', 'configMap', 'secret', 'emptyDir', 'projected', 'downwardAPI'];

/** Volumes that are empty, or have the same content for both versions. */
const volume = z.looseObject({ name: z.string() }).superRefine((found, context) => {
  for (const key of Object.keys(found).filter((one) => !VOLUMES.includes(one))) {
    context.addIssue({ code: 'custom', path: [key], message: 'must not be a volume of a measurement; use emptyDir' });
  }
});

/** Parts of a pod template that affect its programs, unlike placement, priority and times. */
const podSpec = z.object({
  containers: containers.min(1),
  initContainers: containers.default([]),
  volumes: z.array(volume).default([]),
  ...{ hostNetwork: off, hostPID: off, hostIPC: off },
  securityContext,
  serviceAccountName: z.string().optional(),
  automountServiceAccountToken: z.boolean().optional(),
  imagePullSecrets: z.array(z.looseObject({})).default([]),
  hostAliases: z.array(z.unknown()).default([]),
  enableServiceLinks: z.boolean().default(false),
  dnsPolicy: z.string().optional(),
  dnsConfig: z.unknown().optional(),
  runtimeClassName: z.string().optional(),
  tolerations: z.unknown().optional(),
});

/** A Deployment or StatefulSet. */
export const workloadSchema = z.object({
  spec: z.object({
    volumeClaimTemplates: z.array(z.unknown()).max(0, 'must be empty; use emptyDir').optional(),
    template: z.object({ spec: podSpec }),
  }),
});

export type PodSpec = z.output<typeof podSpec>;

export type Container = PodSpec['containers'][number];
