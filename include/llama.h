// The C interface of the llama.cpp family, as Cria offers it. Programs written for it compile against this
// header and link with libllama without change. It is one long file because its users include it by this name.
//
// Rules that hold everywhere, unless a function says otherwise:
//
// Errors. Nothing here ends the process. A call that cannot be done returns the error value written beside it
// and logs one line that says why (llama_log_set receives it). A null handle is such an error; freeing null
// does nothing.
//
// Ownership. Handles come from functions called *_load_*, *_init_*, *_copy or *_clone and are freed by the
// matching *_free. Other pointers belong to the object they were asked of and live as long as it does.
//
// Threads. A model must outlive its contexts and adapters. Any number of threads may use one model. A
// context, and whatever belongs to it, may be used by one thread at a time. Objects that share nothing are
// independent.
//
// Values. Text is UTF-8; where no length is given it ends at a zero byte. Functions that fill a buffer never
// write more than its size. Positions count tokens from 0; a range [p0, p1) leaves p1 out, p0 < 0 means 0 and
// p1 < 0 means no end.
#pragma once

#include "ggml-backend.h"
#include "ggml.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#if defined(__GNUC__)
#define LLAMA_API __attribute__((visibility("default")))
#define LLAMA_DEPRECATED(hint) __attribute__((deprecated(hint)))
#else
#define LLAMA_API
#define LLAMA_DEPRECATED(hint)
#endif

// ----------------------------------------------------------------------------------------------------------
// Constants

#define LLAMA_DEFAULT_SEED 0xFFFFFFFF  // as a seed: take one from the system
#define LLAMA_TOKEN_NULL -1            // no such token

// First four bytes of files, read as a little-endian number.
#define LLAMA_FILE_MAGIC_GGLA 0x67676c61u
#define LLAMA_FILE_MAGIC_GGSN 0x6767736eu
#define LLAMA_FILE_MAGIC_GGSQ 0x67677371u

#define LLAMA_SESSION_MAGIC LLAMA_FILE_MAGIC_GGSN  // a whole context
#define LLAMA_SESSION_VERSION 9
#define LLAMA_STATE_SEQ_MAGIC LLAMA_FILE_MAGIC_GGSQ  // one sequence
#define LLAMA_STATE_SEQ_VERSION 3
#define LLAMA_SERVER_MAGIC 0x6c6d7376u  // prompt cache files of servers
#define LLAMA_SERVER_VERSION 1

#define LLAMA_STATE_SEQ_FLAGS_PARTIAL_ONLY 1  // see llama_state_seq_get_size

#ifdef __cplusplus
extern "C" {
#endif

// ----------------------------------------------------------------------------------------------------------
// Basic types

typedef int32_t llama_pos;     // position of a token in its sequence
typedef int32_t llama_token;   // index into the vocabulary
typedef int32_t llama_seq_id;  // number of a sequence, 0 .. n_seq_max - 1
typedef uint32_t llama_state_seq_flags;

struct llama_model;               // weights, hyper-parameters and vocabulary of one file
struct llama_context;             // memory, buffers and outputs for running a model
struct llama_vocab;               // the vocabulary of a model; belongs to it
struct llama_grammar;             // a grammar and how far it has been matched
struct llama_lora_adapter;        // low-rank changes to the weights of one model
struct llama_sampler_dry;         // history of the DRY sampler
struct llama_sampler_adaptive_p;  // history of the adaptive-p sampler
struct llama_sampler_grammar;     // there are no objects of this type
struct quantize_user_data;        // defined by the program that passes it

// How text becomes tokens.
enum llama_vocab_type {
    LLAMA_VOCAB_TYPE_NONE = 0,    // the model has no tokenizer
    LLAMA_VOCAB_TYPE_SPM = 1,     // scored byte-pair merges with byte fallback (SentencePiece)
    LLAMA_VOCAB_TYPE_BPE = 2,     // ranked byte-pair merges over bytes (GPT-2)
    LLAMA_VOCAB_TYPE_WPM = 3,     // longest match of word pieces (BERT)
    LLAMA_VOCAB_TYPE_UGM = 4,     // most probable split (T5)
    LLAMA_VOCAB_TYPE_RWKV = 5,    // greedy longest match
    LLAMA_VOCAB_TYPE_PLAMO2 = 6,  // cheapest split found by dynamic programming
};

// Which elements of a head rotary position embedding turns together.
enum llama_rope_type {
    LLAMA_ROPE_TYPE_NONE = -1,    // no rotary embedding
    LLAMA_ROPE_TYPE_NORM = 0,     // neighbours: (0,1), (2,3), ...
    LLAMA_ROPE_TYPE_NEOX = 2,     // halves: (0,n/2), (1,n/2+1), ...
    LLAMA_ROPE_TYPE_MROPE = 8,    // halves, in sections with a position each (time, height, width)
    LLAMA_ROPE_TYPE_IMROPE = 40,  // as MROPE, with the sections interleaved
    LLAMA_ROPE_TYPE_VISION = 24,  // halves, for images
};

// Kind of a token as older files store it.
enum llama_token_type {
    LLAMA_TOKEN_TYPE_UNDEFINED = 0,
    LLAMA_TOKEN_TYPE_NORMAL = 1,
    LLAMA_TOKEN_TYPE_UNKNOWN = 2,
    LLAMA_TOKEN_TYPE_CONTROL = 3,
    LLAMA_TOKEN_TYPE_USER_DEFINED = 4,
    LLAMA_TOKEN_TYPE_UNUSED = 5,
    LLAMA_TOKEN_TYPE_BYTE = 6,
};

// Bits that describe a token.
enum llama_token_attr {
    LLAMA_TOKEN_ATTR_UNDEFINED = 0,
    LLAMA_TOKEN_ATTR_UNKNOWN = 1,  // stands for text that has no token
    LLAMA_TOKEN_ATTR_UNUSED = 2,
    LLAMA_TOKEN_ATTR_NORMAL = 4,
    LLAMA_TOKEN_ATTR_CONTROL = 8,        // steers the model; has no text of its own
    LLAMA_TOKEN_ATTR_USER_DEFINED = 16,  // matched in text before anything else
    LLAMA_TOKEN_ATTR_BYTE = 32,          // one raw byte
    LLAMA_TOKEN_ATTR_NORMALIZED = 64,
    LLAMA_TOKEN_ATTR_LSTRIP = 128,  // swallows white space on its left
    LLAMA_TOKEN_ATTR_RSTRIP = 256,  // swallows white space on its right
    LLAMA_TOKEN_ATTR_SINGLE_WORD = 512,
};

// Type of most weights of a file (metadata general.file_type), and the target of llama_model_quantize. S, M
// and L are mixes that spend fewer or more bits on sensitive tensors; _R4, _R8, _R16 are stored with rows
// interleaved.
enum llama_ftype {
    LLAMA_FTYPE_ALL_F32 = 0,
    LLAMA_FTYPE_MOSTLY_F16 = 1,
    LLAMA_FTYPE_MOSTLY_Q4_0 = 2,
    LLAMA_FTYPE_MOSTLY_Q4_1 = 3,
    LLAMA_FTYPE_MOSTLY_Q8_0 = 7,
    LLAMA_FTYPE_MOSTLY_Q5_0 = 8,
    LLAMA_FTYPE_MOSTLY_Q5_1 = 9,
    LLAMA_FTYPE_MOSTLY_Q2_K = 10,
    LLAMA_FTYPE_MOSTLY_Q3_K_S = 11,
    LLAMA_FTYPE_MOSTLY_Q3_K_M = 12,
    LLAMA_FTYPE_MOSTLY_Q3_K_L = 13,
    LLAMA_FTYPE_MOSTLY_Q4_K_S = 14,
    LLAMA_FTYPE_MOSTLY_Q4_K_M = 15,
    LLAMA_FTYPE_MOSTLY_Q5_K_S = 16,
    LLAMA_FTYPE_MOSTLY_Q5_K_M = 17,
    LLAMA_FTYPE_MOSTLY_Q6_K = 18,
    LLAMA_FTYPE_MOSTLY_IQ2_XXS = 19,
    LLAMA_FTYPE_MOSTLY_IQ2_XS = 20,
    LLAMA_FTYPE_MOSTLY_Q2_K_S = 21,
    LLAMA_FTYPE_MOSTLY_IQ3_XS = 22,
    LLAMA_FTYPE_MOSTLY_IQ3_XXS = 23,
    LLAMA_FTYPE_MOSTLY_IQ1_S = 24,
    LLAMA_FTYPE_MOSTLY_IQ4_NL = 25,
    LLAMA_FTYPE_MOSTLY_IQ3_S = 26,
    LLAMA_FTYPE_MOSTLY_IQ3_M = 27,
    LLAMA_FTYPE_MOSTLY_IQ2_S = 28,
    LLAMA_FTYPE_MOSTLY_IQ2_M = 29,
    LLAMA_FTYPE_MOSTLY_IQ4_XS = 30,
    LLAMA_FTYPE_MOSTLY_IQ1_M = 31,
    LLAMA_FTYPE_MOSTLY_BF16 = 32,
    LLAMA_FTYPE_MOSTLY_Q4_0_4_4 = 33,
    LLAMA_FTYPE_MOSTLY_Q4_0_4_8 = 34,
    LLAMA_FTYPE_MOSTLY_Q4_0_8_8 = 35,
    LLAMA_FTYPE_MOSTLY_MXFP4 = 38,
    LLAMA_FTYPE_MOSTLY_Q1_0_G128 = 41,

    LLAMA_FTYPE_MOSTLY_Q6_0 = 135,
    LLAMA_FTYPE_MOSTLY_IQ1_BN = 136,
    LLAMA_FTYPE_MOSTLY_IQ2_BN = 137,
    LLAMA_FTYPE_MOSTLY_IQ2_K = 138,
    LLAMA_FTYPE_MOSTLY_IQ3_K = 139,
    LLAMA_FTYPE_MOSTLY_IQ4_K = 140,
    LLAMA_FTYPE_MOSTLY_IQ5_K = 141,
    LLAMA_FTYPE_MOSTLY_IQ6_K = 142,
    LLAMA_FTYPE_MOSTLY_IQ4_KS = 145,
    LLAMA_FTYPE_MOSTLY_IQ3_KL = 146,
    LLAMA_FTYPE_MOSTLY_IQ2_KS = 147,
    LLAMA_FTYPE_MOSTLY_IQ4_KSS = 148,
    LLAMA_FTYPE_MOSTLY_Q8_KV = 149,
    LLAMA_FTYPE_MOSTLY_IQ5_KS = 150,
    LLAMA_FTYPE_MOSTLY_IQ2_KT = 151,
    LLAMA_FTYPE_MOSTLY_IQ3_KT = 152,
    LLAMA_FTYPE_MOSTLY_IQ4_KT = 153,
    LLAMA_FTYPE_MOSTLY_IQ3_KS = 154,
    LLAMA_FTYPE_MOSTLY_IQ2_KL = 155,
    LLAMA_FTYPE_MOSTLY_IQ1_KT = 156,

    LLAMA_FTYPE_MOSTLY_Q4_0_R8 = 202,
    LLAMA_FTYPE_MOSTLY_Q8_0_R8 = 207,
    LLAMA_FTYPE_MOSTLY_Q5_0_R4 = 208,
    LLAMA_FTYPE_MOSTLY_Q2_K_R4 = 210,
    LLAMA_FTYPE_MOSTLY_Q3_K_R4 = 211,
    LLAMA_FTYPE_MOSTLY_Q4_K_R4 = 214,
    LLAMA_FTYPE_MOSTLY_Q5_K_R4 = 216,
    LLAMA_FTYPE_MOSTLY_Q6_K_R4 = 218,
    LLAMA_FTYPE_MOSTLY_IQ2_XXS_R4 = 219,
    LLAMA_FTYPE_MOSTLY_IQ2_XS_R4 = 220,
    LLAMA_FTYPE_MOSTLY_IQ3_XXS_R4 = 223,
    LLAMA_FTYPE_MOSTLY_IQ1_S_R4 = 224,
    LLAMA_FTYPE_MOSTLY_IQ4_NL_R4 = 225,
    LLAMA_FTYPE_MOSTLY_IQ3_S_R4 = 226,
    LLAMA_FTYPE_MOSTLY_IQ2_M_R4 = 229,
    LLAMA_FTYPE_MOSTLY_IQ4_XS_R8 = 230,
    LLAMA_FTYPE_MOSTLY_IQ1_M_R4 = 231,
    LLAMA_FTYPE_MOSTLY_BF16_R16 = 232,
    LLAMA_FTYPE_MOSTLY_Q6_0_R4 = 335,
    LLAMA_FTYPE_MOSTLY_IQ2_BN_R4 = 337,
    LLAMA_FTYPE_MOSTLY_IQ2_K_R4 = 338,
    LLAMA_FTYPE_MOSTLY_IQ3_K_R4 = 339,
    LLAMA_FTYPE_MOSTLY_IQ4_K_R4 = 340,
    LLAMA_FTYPE_MOSTLY_IQ5_K_R4 = 341,
    LLAMA_FTYPE_MOSTLY_IQ4_KS_R4 = 345,
    LLAMA_FTYPE_MOSTLY_IQ5_KS_R4 = 350,
    LLAMA_FTYPE_MOSTLY_Q8_KV_R8 = 398,
    LLAMA_FTYPE_MOSTLY_Q8_K_R8 = 399,

    LLAMA_FTYPE_GUESSED = 1024,  // the file does not say; taken from its tensors
};

// How rotary embeddings are stretched beyond the length a model was trained for. UNSPECIFIED: as the file
// says.
enum llama_rope_scaling_type {
    LLAMA_ROPE_SCALING_TYPE_UNSPECIFIED = -1,
    LLAMA_ROPE_SCALING_TYPE_NONE = 0,
    LLAMA_ROPE_SCALING_TYPE_LINEAR = 1,
    LLAMA_ROPE_SCALING_TYPE_YARN = 2,
    LLAMA_ROPE_SCALING_TYPE_LONGROPE = 3,
    LLAMA_ROPE_SCALING_TYPE_MAX_VALUE = LLAMA_ROPE_SCALING_TYPE_LONGROPE,
};

// How the vectors of a sequence become one. UNSPECIFIED: as the file says, NONE when it says nothing.
enum llama_pooling_type {
    LLAMA_POOLING_TYPE_UNSPECIFIED = -1,
    LLAMA_POOLING_TYPE_NONE = 0,  // keep one vector per token
    LLAMA_POOLING_TYPE_MEAN = 1,
    LLAMA_POOLING_TYPE_CLS = 2,   // the first token's
    LLAMA_POOLING_TYPE_LAST = 3,  // the last token's
};

enum llama_attention_type {
    LLAMA_ATTENTION_TYPE_UNSPECIFIED = -1,  // as the model needs it
    LLAMA_ATTENTION_TYPE_CAUSAL = 0,        // a token sees itself and what came before
    LLAMA_ATTENTION_TYPE_NON_CAUSAL = 1,    // every token of a batch sees every other one of its sequence
};

// For helper libraries; no function here takes it.
enum llama_flash_attn_type {
    LLAMA_FLASH_ATTN_TYPE_AUTO = -1,
    LLAMA_FLASH_ATTN_TYPE_DISABLED = 0,
    LLAMA_FLASH_ATTN_TYPE_ENABLED = 1,
};

// How a model is divided over several devices.
enum llama_split_mode {
    LLAMA_SPLIT_MODE_NONE = 0,   // one device: main_gpu
    LLAMA_SPLIT_MODE_LAYER = 1,  // whole layers
    LLAMA_SPLIT_MODE_ATTN = 2,   // attention heads; the rest by layers
    LLAMA_SPLIT_MODE_GRAPH = 3,  // every matrix product
};

// What a context with multi-token prediction does in the next llama_decode.
enum llama_mtp_op_type {
    MTP_OP_NONE = 0,             // the ordinary model
    MTP_OP_WARMUP = 1,           // fill the head's memory with the prompt
    MTP_OP_UPDATE_ACCEPTED = 2,  // fill the head's memory with tokens that were accepted
    MTP_OP_DRAFT_GEN = 3,        // propose the next token
};

enum llama_model_kv_override_type {
    LLAMA_KV_OVERRIDE_TYPE_INT = 0,
    LLAMA_KV_OVERRIDE_TYPE_FLOAT = 1,
    LLAMA_KV_OVERRIDE_TYPE_BOOL = 2,
    LLAMA_KV_OVERRIDE_TYPE_STR = 3,
};

// Where checkpoints of recurrent state are kept; see llama_spec_ckpt_init.
enum llama_spec_ckpt_mode {
    LLAMA_SPEC_CKPT_NONE = -1,         // none chosen, or failed
    LLAMA_SPEC_CKPT_AUTO = 0,          // the first of the following that works
    LLAMA_SPEC_CKPT_PER_STEP = 1,      // the state after every token of the batch
    LLAMA_SPEC_CKPT_GPU_FALLBACK = 2,  // one shadow copy where the state lives
    LLAMA_SPEC_CKPT_CPU = 3,           // one serialised copy in host memory
};

// One candidate for the next token.
typedef struct llama_token_data {
    llama_token id;
    float logit;  // log-odds as the model or earlier samplers left them
    float p;      // probability; valid after llama_sample_softmax and the samplers that call it
} llama_token_data;

// Candidates that samplers work on in place. The memory belongs to the caller; samplers may reorder and
// shorten it.
typedef struct llama_token_data_array {
    llama_token_data* data;
    size_t size;
    int64_t selected;  // index of the token that was drawn, for programs; Cria does not read it
    bool sorted;       // by logit, largest first
} llama_token_data_array;

// Tokens to run. Exactly one of token and embd is set. Arrays have n_tokens entries; null ones take the value
// named.
typedef struct llama_batch {
    int32_t n_tokens;

    llama_token* token;     // token ids
    float* embd;            // or input vectors: n_tokens x llama_model_n_embd_inp
    llama_pos* pos;         // positions; null: all_pos_0 + i * all_pos_1
    int32_t* n_seq_id;      // how many sequences each token belongs to; null: one
    llama_seq_id** seq_id;  // which ones; null: all_seq_id
    int8_t* logits;         // not 0: compute an output for this token; null: for the last one only

    llama_pos all_pos_0;
    llama_pos all_pos_1;
    llama_seq_id all_seq_id;
} llama_batch;

// Replaces a metadata value of the file while it is loaded. Arrays of these end with an entry whose key is
// empty.
struct llama_model_kv_override {
    enum llama_model_kv_override_type tag;

    char key[128];  // the whole metadata key, zero-terminated

    union {
        int64_t val_i64;
        double val_f64;
        bool val_bool;
        char val_str[128];  // zero-terminated
    };
};

// Puts tensors whose name matches a regular expression (searched, first match wins) into a kind of memory.
// Arrays of these end with an entry whose pattern is null.
struct llama_model_tensor_buft_override {
    const char* pattern;
    ggml_backend_buffer_type_t buft;
};

// Called while a model is loaded with the part done, 0 to 1. Returning false stops, and loading returns null.
typedef bool (*llama_progress_callback)(float progress, void* user_data);

// ----------------------------------------------------------------------------------------------------------
// Parameters. Always start from the *_default_params functions: they know fields this program does not.
// Pointers are read during the call they are passed to and not kept, except callbacks and their user data.

struct llama_model_params {
    const char* devices;  // comma-separated device names to use; null: all

    int32_t n_gpu_layers;  // layers computed on GPUs, counted from the last; < 0: as many as fit
    int32_t mla;           // how latent attention will be cached, as llama_context_params.mla_attn
    enum llama_split_mode split_mode;
    int32_t main_gpu;  // the device for LLAMA_SPLIT_MODE_NONE
    int32_t max_gpu;   // most devices that share one layer; 0: all
    int32_t ncmoe;     // layers whose experts stay in host memory

    // What the context will be like, so that placement leaves room for it. They do not create anything.
    enum ggml_type type_k;
    enum ggml_type type_v;
    uint32_t max_ctx_size;  // tokens; 0: what the model was trained for
    int32_t n_seq_max;
    int32_t n_ubatch;
    int32_t amb;                  // MiB, as llama_context_params.attn_max_batch
    int32_t fit_margin;           // MiB to leave free on each device; 0: a sensible amount
    bool fit;                     // choose what goes where so that the model fits
    int32_t worst_graph_tokens;   // outputs per batch to plan for; 0: n_ubatch
    enum ggml_type type_k_first;  // as in llama_context_params
    enum ggml_type type_k_last;
    enum ggml_type type_v_first;
    enum ggml_type type_v_last;
    int32_t n_k_first;
    int32_t n_k_last;
    int32_t n_v_first;
    int32_t n_v_last;
    enum ggml_type extra_output_type;  // type of a second output matrix for drafting; GGML_TYPE_COUNT: none

    const float* tensor_split;    // share of each device (llama_max_devices entries); null: by free memory
    const int* fit_margin_array;  // pairs (device, MiB to leave free), ended by -1; null: fit_margin
    const char* rpc_servers;      // comma-separated host:port of remote devices

    llama_progress_callback progress_callback;
    void* progress_callback_user_data;

    const struct llama_model_kv_override* kv_overrides;
    const struct llama_model_tensor_buft_override* tensor_buft_overrides;

    bool vocab_only;          // read metadata and vocabulary, no weights
    bool use_mmap;            // map weights instead of reading them
    bool use_mlock;           // keep weights in physical memory
    bool check_tensors;       // refuse weights that hold NaN or infinity
    bool repack_tensors;      // interleave rows of weights after loading
    bool use_thp;             // read weights into huge pages
    bool validate_quants;     // refuse quantised blocks that no encoder makes
    bool merge_qkv;           // compute query, key and value in one product
    bool merge_up_gate_exps;  // compute up and gate of experts in one product
    bool mtp;                 // load the layers for multi-token prediction
    bool dry_run;             // say what would be loaded where, and load nothing
    bool flash_attn;          // plan for llama_context_params.flash_attn
    bool defer_experts;       // do not read experts before they are used
};

struct llama_context_params {
    uint32_t seed;              // of the context's random numbers; LLAMA_DEFAULT_SEED: from the system
    uint32_t n_ctx;             // cells of memory in tokens, for all sequences together; 0: trained length
    uint32_t n_batch;           // most tokens in one llama_decode
    uint32_t n_ubatch;          // most tokens computed at a time
    uint32_t n_seq_max;         // sequences
    uint32_t n_threads;         // threads for one token at a time
    uint32_t n_threads_batch;   // threads for several
    int32_t max_extra_alloc;    // MiB of extra buffers when devices share layers
    int32_t worst_case_tokens;  // outputs per batch to reserve for; 0: n_ubatch

    enum llama_rope_scaling_type rope_scaling_type;
    enum llama_pooling_type pooling_type;
    enum llama_attention_type attention_type;

    // Rotary embedding; 0 (or -1 for the yarn_* factors) means: as the file says.
    float rope_freq_base;
    float rope_freq_scale;
    float yarn_ext_factor;   // weight of extrapolation against interpolation
    float yarn_attn_factor;  // factor on the magnitude
    float yarn_beta_fast;    // turns above which a dimension is extrapolated
    float yarn_beta_slow;    // turns below which it is interpolated
    uint32_t yarn_orig_ctx;  // length the model was trained for before stretching
    float defrag_thold;      // tidy memory when more than this part of it is holes; < 0: never

    ggml_backend_sched_eval_callback cb_eval;  // watches named results; null: nobody
    void* cb_eval_user_data;

    enum ggml_type type_k;           // element type of cached keys
    enum ggml_type type_v;           // and values; other than F16 and BF16 only with flash_attn
    enum ggml_type type_reduce;      // type of sums exchanged between devices
    enum ggml_type type_graph_attn;  // F16 or F32: precision of latent attention on devices
    enum ggml_type type_k_first;     // types for the first n_k_first, last n_k_last, ... layers
    enum ggml_type type_k_last;
    enum ggml_type type_v_first;
    enum ggml_type type_v_last;
    int32_t n_k_first;  // < 0: no such exception
    int32_t n_k_last;
    int32_t n_v_first;
    int32_t n_v_last;

    bool logits_all;              // compute outputs for every token, whatever the batch says
    bool embeddings;              // compute embeddings
    bool offload_kqv;             // keep keys and values where the layer is computed
    bool flash_attn;              // never hold a whole matrix of attention scores
    int mla_attn;                 // latent attention: 0 cache full heads, 1 to 3 cache the latent
    int attn_max_batch;           // MiB for temporary attention scores; 0: no limit
    bool fused_moe_up_gate;       // these three: fewer, larger operations; results agree within rounding
    bool grouped_expert_routing;  // choose groups of experts first, where the model was trained so
    bool fused_up_gate;
    bool fused_mmad;
    bool rope_cache;
    bool graph_reuse;          // keep the plan of the last batch for the next one of its shape
    int min_experts;           // keep at least so many experts per token; < 0: all the model asks for
    float thresh_experts;      // of the others, keep those with this part of the best one's probability
    bool only_active_experts;  // copy only experts in use to devices
    bool k_cache_hadamard;     // rotate keys before they are quantised
    bool v_cache_hadamard;     // rotate values before they are quantised
    bool split_mode_graph_scheduling;
    bool scheduler_async;
    bool mtp;  // the context drives the multi-token prediction layers
    enum llama_mtp_op_type mtp_op_type;

    ggml_abort_callback abort_callback;  // see llama_set_abort_callback
    void* abort_callback_data;
    void*
        offload_policy;  // std::vector<std::pair<int, int>> of (ggml_op, 0 or 1), as llama_set_offload_policy
    void* cuda_params;   // zero-terminated text "key=value,..." for CUDA devices
};

typedef struct llama_model_quantize_params {
    int32_t nthread;         // <= 0: as many as the machine has cores
    enum llama_ftype ftype;  // what to make

    // Types that override the mix for one role; GGML_TYPE_COUNT: as the mix says.
    enum ggml_type output_tensor_type;
    enum ggml_type token_embedding_type;
    enum ggml_type attn_q_type;
    enum ggml_type attn_k_type;
    enum ggml_type attn_v_type;
    enum ggml_type attn_qkv_type;
    enum ggml_type attn_output_type;
    enum ggml_type ffn_gate_type;
    enum ggml_type ffn_down_type;
    enum ggml_type ffn_up_type;
    enum ggml_type ffn_gate_inp_type;
    enum ggml_type extra_output_type;

    bool allow_requantize;        // accept input that is already quantised (loses more than from floats)
    bool quantize_output_tensor;  // false: leave output.weight as it is
    bool only_copy;               // change no tensor; ftype is ignored
    bool pure;                    // one type for everything instead of a mix
    bool keep_split;              // write as many files as were read
    bool ignore_imatrix_rules;    // allow very small types without an importance matrix
    bool only_repack;             // only interleave rows
    bool dry_run;                 // print sizes, write nothing
    bool partial_requant;         // write only parts that are missing

    void* imatrix;         // std::unordered_map<std::string, std::vector<float>>: importance by tensor name
    void* kv_overrides;    // std::vector<llama_model_kv_override>, ended by an empty key
    void* custom_quants;   // std::vector<std::pair<std::string, ggml_type>>: regular expression and type
    void* repack_pattern;  // std::vector<std::string>: regular expressions of tensors to interleave
    struct quantize_user_data* user_data;
} llama_model_quantize_params;

// Times in milliseconds on the clock of llama_time_us, and counts of tokens.
struct llama_timings {
    double t_start_ms;   // when the context was made or its timings were reset
    double t_end_ms;     // now
    double t_load_ms;    // loading the model
    double t_sample_ms;  // sampling
    double t_p_eval_ms;  // batches of several tokens
    double t_eval_ms;    // batches of one token

    int32_t n_sample;  // at least 1, so that it can be divided by
    int32_t n_p_eval;
    int32_t n_eval;  // at least 1
};

typedef struct llama_chat_message {
    const char* role;  // "system", "user", "assistant", ...
    const char* content;
} llama_chat_message;

// ----------------------------------------------------------------------------------------------------------
// Default parameters

LLAMA_API struct llama_model_params llama_model_default_params(void);
LLAMA_API struct llama_context_params llama_context_default_params(void);
LLAMA_API struct llama_model_quantize_params llama_model_quantize_default_params(void);

// ----------------------------------------------------------------------------------------------------------
// Process

// May be called, any number of times; Cria needs neither.
LLAMA_API void llama_backend_init(void);
LLAMA_API void llama_backend_free(void);

// How contexts made from now on lay out memory and threads. DISABLED does nothing.
LLAMA_API void llama_numa_init(enum ggml_numa_strategy numa);

// Microseconds on a clock that never goes back, from an arbitrary moment.
LLAMA_API int64_t llama_time_us(void);

// Entries of llama_model_params.tensor_split. At least 1.
LLAMA_API size_t llama_max_devices(void);

LLAMA_API bool llama_supports_mmap(void);
LLAMA_API bool llama_supports_mlock(void);
LLAMA_API bool llama_supports_gpu_offload(void);

// Processor features in use, as "AVX2 = 1 | AVX512 = 0 | ...". Static storage.
LLAMA_API const char* llama_print_system_info(void);

// Sends log lines to a callback instead of stderr; null goes back to stderr. For the whole process. The
// callback may be called from any thread that uses Cria, by one at a time; it must not log through this
// library.
LLAMA_API void llama_log_set(ggml_log_callback log_callback, void* user_data);

// ----------------------------------------------------------------------------------------------------------
// Models

// Loads a GGUF file; of a split model, name the first file. Null on any failure. Free with llama_free_model.
LLAMA_API struct llama_model* llama_model_load_from_file(const char* path_model,
                                                         struct llama_model_params params);

// Also frees the adapters made for the model. Its contexts must be gone.
LLAMA_API void llama_free_model(struct llama_model* model);

LLAMA_API const struct llama_vocab* llama_model_get_vocab(const struct llama_model* model);
LLAMA_API const struct llama_vocab* llama_get_model_vocab(const struct llama_model* model);  // the same

// Numbers of the model. All are 0 for null.
LLAMA_API int32_t llama_n_vocab(const struct llama_model* model);      // columns of the logits
LLAMA_API int32_t llama_n_ctx_train(const struct llama_model* model);  // tokens
// Width of hidden states and embeddings.
LLAMA_API int32_t llama_model_n_embd(const struct llama_model* model);
LLAMA_API int32_t llama_model_n_embd_inp(const struct llama_model* model);  // width of llama_batch.embd rows
LLAMA_API int32_t llama_n_layer(const struct llama_model* model);           // blocks
// Of them for multi-token prediction.
LLAMA_API int32_t llama_model_n_nextn_layer(const struct llama_model* model);
LLAMA_API uint64_t llama_model_size(const struct llama_model* model);      // bytes of all tensors
LLAMA_API uint64_t llama_model_n_params(const struct llama_model* model);  // elements of all tensors
LLAMA_API float llama_rope_freq_scale_train(const struct llama_model* model);
LLAMA_API enum llama_rope_type llama_rope_type(const struct llama_model* model);  // NONE for null

// Metadata as text: numbers in decimal, arrays shortened. These write up to buf_size bytes with a terminating
// zero and return the length of the whole text, which may be more than was written; -1 and an empty text when
// there is no such key or index. buf may be null when buf_size is 0.
LLAMA_API int32_t llama_model_meta_val_str(const struct llama_model* model, const char* key, char* buf,
                                           size_t buf_size);
LLAMA_API int32_t llama_model_meta_count(const struct llama_model* model);
LLAMA_API int32_t llama_model_meta_key_by_index(const struct llama_model* model, int32_t i, char* buf,
                                                size_t buf_size);
LLAMA_API int32_t llama_model_meta_val_str_by_index(const struct llama_model* model, int32_t i, char* buf,
                                                    size_t buf_size);

// One line for people: architecture, size class, file type. Written and counted as metadata is.
LLAMA_API int32_t llama_model_desc(const struct llama_model* model, char* buf, size_t buf_size);

// Chat template in the file: the default one for a null name, else the one called so. Null when there is
// none.
LLAMA_API const char* llama_model_chat_template(const struct llama_model* model, const char* name);

// A view of a weight by its exact name, or null. Belongs to the model.
LLAMA_API struct ggml_tensor* llama_get_model_tensor(struct llama_model* model, const char* name);

LLAMA_API bool llama_model_has_encoder(const struct llama_model* model);  // call llama_encode first
LLAMA_API bool llama_model_has_decoder(const struct llama_model* model);  // false for encoders alone
// What an encoder-decoder model begins its answer with, or LLAMA_TOKEN_NULL.
LLAMA_API llama_token llama_model_decoder_start_token(const struct llama_model* model);

LLAMA_API bool llama_model_is_recurrent(const struct llama_model* model);   // has state instead of attention
LLAMA_API bool llama_model_is_hybrid(const struct llama_model* model);      // has both
LLAMA_API bool llama_model_has_recurrent(const struct llama_model* model);  // either of the two
LLAMA_API bool llama_model_is_gemma4_mtp_assistant(const struct llama_model* model);
LLAMA_API bool llama_model_is_split_mode_graph(const struct llama_model* model);  // ATTN or GRAPH in use

// Looks into a file without loading it; false also when it cannot be read.
LLAMA_API bool llama_is_gemma4_mtp_file(const char* path);

// Converts a file. 0 when done, 1 on failure. fname_out is complete or absent, never half written.
LLAMA_API uint32_t llama_model_quantize(const char* fname_inp, const char* fname_out,
                                        const llama_model_quantize_params* params);

// ----------------------------------------------------------------------------------------------------------
// Contexts

// Null on any failure: no model, contradictory parameters, not enough memory. Free with llama_free before the
// model.
LLAMA_API struct llama_context* llama_init_from_model(struct llama_model* model,
                                                      struct llama_context_params params);
LLAMA_API void llama_free(struct llama_context* ctx);

LLAMA_API const struct llama_model* llama_get_model(const struct llama_context* ctx);
LLAMA_API const struct llama_vocab* llama_get_vocab(const struct llama_context* ctx);

// What the context was made with, after rounding. 0 for null.
LLAMA_API uint32_t llama_n_ctx(const struct llama_context* ctx);
LLAMA_API uint32_t llama_n_batch(const struct llama_context* ctx);
LLAMA_API uint32_t llama_n_ubatch(const struct llama_context* ctx);
// Cells of memory, as programs expect of it.
LLAMA_API uint32_t llama_n_seq_max(const struct llama_context* ctx);
LLAMA_API enum llama_pooling_type llama_pooling_type(const struct llama_context* ctx);

LLAMA_API void llama_set_n_threads(struct llama_context* ctx, uint32_t n_threads, uint32_t n_threads_batch);
LLAMA_API uint32_t llama_n_threads(struct llama_context* ctx);
LLAMA_API uint32_t llama_n_threads_batch(struct llama_context* ctx);

LLAMA_API void llama_set_embeddings(struct llama_context* ctx, bool embeddings);
LLAMA_API void llama_set_causal_attn(struct llama_context* ctx, bool causal_attn);

// Asked often while tokens are computed; true makes the running llama_decode or llama_encode return a
// negative number. Null removes it.
LLAMA_API void llama_set_abort_callback(struct llama_context* ctx, ggml_abort_callback abort_callback,
                                        void* abort_callback_data);

// Whether weights in host memory may be copied to a device for large batches, for one operation; an op out of
// range means all of them.
LLAMA_API void llama_set_offload_policy(struct llama_context* lctx, int op, bool on_or_off);

// ----------------------------------------------------------------------------------------------------------
// Running tokens

// A batch of one sequence over the caller's array, with an output for the last token. Do not free it.
LLAMA_API struct llama_batch llama_batch_get_one(llama_token* tokens, int32_t n_tokens, llama_pos pos_0,
                                                 llama_seq_id seq_id);

// Room for n_tokens tokens with up to n_seq_max sequences each; embd > 0 makes room for input vectors of that
// width instead of ids. n_tokens of the result is 0 and the arrays hold no meaning yet. On failure (negative
// sizes, no memory) all pointers are null. Free with llama_batch_free, which takes only batches made here.
LLAMA_API struct llama_batch llama_batch_init(int32_t n_tokens, int32_t embd, int32_t n_seq_max);
LLAMA_API void llama_batch_free(struct llama_batch batch);

// Runs the encoder of an encoder-decoder model, or a whole encoder model; the batch must fit n_ubatch. Does
// not touch the memory. 0 when done, negative on errors, -1 for an empty batch.
LLAMA_API int32_t llama_encode(struct llama_context* ctx, struct llama_batch batch);

// Runs tokens and stores them in memory.
//   0: done.
//   1: no room in memory (nothing changed: remove something, or send fewer tokens), or a shift was asked for
//      that this model cannot do.
//   Negative: failed. -1 wrong or empty batch, -2 no memory for outputs, -3 stopped, others an error in the
//      computation. Tokens of the batch may be in memory: remove them.
LLAMA_API int32_t llama_decode(struct llama_context* ctx, struct llama_batch batch);

// Makes every llama_decode of the process that runs, or is called later, return -3 until llama_decode_reset.
// From any thread.
LLAMA_API void llama_decode_stop(void);
LLAMA_API void llama_decode_reset(void);

// Outputs are complete when llama_decode returns; this only brings timings up to date.
LLAMA_API void llama_synchronize(struct llama_context* ctx);

// ----------------------------------------------------------------------------------------------------------
// Outputs of the last llama_decode or llama_encode. They belong to the context, may be written to, and are
// valid until its next run. Rows are packed: one for each token that asked for an output, in batch order.

// Rows of llama_n_vocab; null when there are none.
LLAMA_API float* llama_get_logits(struct llama_context* ctx);
// Rows of llama_model_n_embd; null when there are none.
LLAMA_API float* llama_get_embeddings(struct llama_context* ctx);

// The row of token i of the batch; i < 0 counts from the last row. Null when that token has no output.
LLAMA_API float* llama_get_logits_ith(struct llama_context* ctx, int32_t i);
LLAMA_API float* llama_get_embeddings_ith(struct llama_context* ctx, int32_t i);

// The one vector of a sequence. Null without pooling or when the sequence was not in the batch.
LLAMA_API float* llama_get_embeddings_seq(struct llama_context* ctx, llama_seq_id seq_id);

// ----------------------------------------------------------------------------------------------------------
// Memory of a context ("KV cache"): which tokens of which sequences it holds

LLAMA_API void llama_kv_cache_clear(struct llama_context* ctx);

// Forgets positions [p0, p1) of a sequence; seq_id < 0 means all sequences. False, with nothing changed, when
// the model keeps state that cannot be cut there.
LLAMA_API bool llama_kv_cache_seq_rm(struct llama_context* ctx, llama_seq_id seq_id, llama_pos p0,
                                     llama_pos p1);

// Makes the tokens of one sequence belong to another one too. Shares them; copies nothing.
LLAMA_API void llama_kv_cache_seq_cp(struct llama_context* ctx, llama_seq_id seq_id_src,
                                     llama_seq_id seq_id_dst, llama_pos p0, llama_pos p1);

// Forgets all other sequences.
LLAMA_API void llama_kv_cache_seq_keep(struct llama_context* ctx, llama_seq_id seq_id);

// Adds delta to positions, or divides them by d, rounding down. Tokens whose position becomes negative are
// forgotten. Takes effect in the next llama_kv_cache_update or llama_decode.
LLAMA_API void llama_kv_cache_seq_add(struct llama_context* ctx, llama_seq_id seq_id, llama_pos p0,
                                      llama_pos p1, llama_pos delta);
LLAMA_API void llama_kv_cache_seq_div(struct llama_context* ctx, llama_seq_id seq_id, llama_pos p0,
                                      llama_pos p1, int d);

// Largest position (0 when empty) and smallest (-1 when empty) of a sequence.
LLAMA_API llama_pos llama_kv_cache_seq_pos_max(struct llama_context* ctx, llama_seq_id seq_id);
LLAMA_API llama_pos llama_kv_cache_seq_pos_min(struct llama_context* ctx, llama_seq_id seq_id);

// Asks to close holes in the next update.
LLAMA_API void llama_kv_cache_defrag(struct llama_context* ctx);

// Applies shifts and tidying that were asked for. 0 when done, 1 when this model cannot be shifted.
LLAMA_API int32_t llama_kv_cache_update(struct llama_context* ctx);

// Tokens held (one in two sequences counts twice), and cells in use. 0 for null.
LLAMA_API int32_t llama_get_kv_cache_token_count(const struct llama_context* ctx);
LLAMA_API int32_t llama_get_kv_cache_used_cells(const struct llama_context* ctx);

struct llama_kv_cache_view_cell {
    llama_pos pos;  // -1 for an empty cell
};

// A snapshot of the cells, for display.
struct llama_kv_cache_view {
    int32_t n_cells;
    int32_t n_seq_max;    // most sequences listed for one cell
    int32_t token_count;  // as llama_get_kv_cache_token_count
    int32_t used_cells;
    int32_t max_contiguous;      // length of the longest run of empty cells
    int32_t max_contiguous_idx;  // where it begins; -1 when there is none

    struct llama_kv_cache_view_cell* cells;  // n_cells
    llama_seq_id* cells_sequences;           // n_cells x n_seq_max; unused entries are -1
};

// The arrays are made by the first update. n_seq_max < 1 means 1.
LLAMA_API struct llama_kv_cache_view llama_kv_cache_view_init(const struct llama_context* ctx,
                                                              int32_t n_seq_max);
LLAMA_API void llama_kv_cache_view_update(const struct llama_context* ctx, struct llama_kv_cache_view* view);
LLAMA_API void llama_kv_cache_view_free(struct llama_kv_cache_view* view);

// ----------------------------------------------------------------------------------------------------------
// Checkpoints of recurrent state, for speculation: state cannot be cut, so it is saved before drafted tokens
// are tried. Models without such state need none.

// Chooses a llama_spec_ckpt_mode for batches of up to max_tokens; the first success holds for the context.
// Returns the mode, or -1: nothing to save, a larger batch than before, or no memory.
LLAMA_API int llama_spec_ckpt_init(struct llama_context* ctx, int mode, int max_tokens);

LLAMA_API bool llama_spec_ckpt_save(struct llama_context* ctx, llama_seq_id seq_id);

// Goes back to position n_past, after accepted_step + 1 tokens of the batch. True: the state is right. False:
// it is that of the checkpoint (or nothing could be done), and the accepted tokens must be run again.
LLAMA_API bool llama_spec_ckpt_restore(struct llama_context* ctx, llama_seq_id seq_id, llama_pos n_past,
                                       int accepted_step);

// Drops what was saved, and the choice of mode.
LLAMA_API void llama_spec_ckpt_discard(struct llama_context* ctx);

// ----------------------------------------------------------------------------------------------------------
// Saving and restoring. What is saved fits the same model and cache types; anything else is refused and
// leaves the context as it was. Data and files from outside are checked before use.

// The whole context: outputs, random numbers and memory. Bytes needed, written, read; 0 on errors.
LLAMA_API size_t llama_state_get_size(struct llama_context* ctx);
LLAMA_API size_t llama_state_get_data(struct llama_context* ctx, uint8_t* dst, size_t size);
LLAMA_API size_t llama_state_set_data(struct llama_context* ctx, const uint8_t* src, size_t size);

// The same with the prompt's tokens, in a file. Loading fails when more than n_token_capacity tokens are
// stored. A file being replaced is complete at every moment.
LLAMA_API bool llama_state_load_file(struct llama_context* ctx, const char* path_session,
                                     llama_token* tokens_out, size_t n_token_capacity,
                                     size_t* n_token_count_out);
LLAMA_API bool llama_state_save_file(struct llama_context* ctx, const char* path_session,
                                     const llama_token* tokens, size_t n_token_count);

// One sequence. LLAMA_STATE_SEQ_FLAGS_PARTIAL_ONLY leaves out what llama_kv_cache_seq_rm can cut, that is,
// keeps only recurrent state. Bytes needed, written, read; 0 on errors. Restoring replaces what dest_seq_id
// held.
LLAMA_API size_t llama_state_seq_get_size(struct llama_context* ctx, llama_seq_id seq_id,
                                          llama_state_seq_flags flags);
LLAMA_API size_t llama_state_seq_get_data(struct llama_context* ctx, uint8_t* dst, size_t size,
                                          llama_seq_id seq_id, llama_state_seq_flags flags);
LLAMA_API size_t llama_state_seq_set_data(struct llama_context* ctx, const uint8_t* src, size_t size,
                                          llama_seq_id dest_seq_id, llama_state_seq_flags flags);

LLAMA_API size_t llama_state_seq_save_file(struct llama_context* ctx, const char* filepath,
                                           llama_seq_id seq_id, const llama_token* tokens,
                                           size_t n_token_count);
LLAMA_API size_t llama_state_seq_load_file(struct llama_context* ctx, const char* filepath,
                                           llama_seq_id dest_seq_id, llama_token* tokens_out,
                                           size_t n_token_capacity, size_t* n_token_count_out);

// Older names. The two without a size trust the caller's buffer: llama_state_get_size bytes.
LLAMA_DEPRECATED("use llama_state_get_size")
LLAMA_API size_t llama_get_state_size(struct llama_context* ctx);
LLAMA_DEPRECATED("use llama_state_get_data")
LLAMA_API size_t llama_copy_state_data(struct llama_context* ctx, uint8_t* dst);
LLAMA_DEPRECATED("use llama_state_set_data")
LLAMA_API size_t llama_set_state_data(struct llama_context* ctx, const uint8_t* src);
LLAMA_DEPRECATED("use llama_state_load_file")
LLAMA_API bool llama_load_session_file(struct llama_context* ctx, const char* path_session,
                                       llama_token* tokens_out, size_t n_token_capacity,
                                       size_t* n_token_count_out);
LLAMA_DEPRECATED("use llama_state_save_file")
LLAMA_API bool llama_save_session_file(struct llama_context* ctx, const char* path_session,
                                       const llama_token* tokens, size_t n_token_count);

// ----------------------------------------------------------------------------------------------------------
// Vocabulary. Tokens out of range have null text, score 0, no attributes and belong to no set.

LLAMA_API enum llama_vocab_type llama_vocab_type(const struct llama_vocab* vocab);  // NONE for null
LLAMA_API int32_t llama_vocab_n_tokens(const struct llama_vocab* vocab);
LLAMA_API const char* llama_vocab_get_text(const struct llama_vocab* vocab, llama_token token);  // as stored
LLAMA_API bool llama_vocab_get_add_bos(const struct llama_vocab* vocab);
LLAMA_API bool llama_vocab_get_add_eos(const struct llama_vocab* vocab);
LLAMA_API llama_token llama_vocab_bos(const struct llama_vocab* vocab);
LLAMA_API llama_token llama_vocab_eos(const struct llama_vocab* vocab);
LLAMA_API bool llama_vocab_is_eog(const struct llama_vocab* vocab, llama_token token);  // ends an answer

// The same, asked of a model.
LLAMA_API const char* llama_token_get_text(const struct llama_model* model, llama_token token);
LLAMA_API float llama_token_get_score(const struct llama_model* model, llama_token token);
LLAMA_API enum llama_token_attr llama_token_get_attr(const struct llama_model* model, llama_token token);
LLAMA_API bool llama_token_is_eog(const struct llama_model* model, llama_token token);
LLAMA_API bool llama_token_is_control(const struct llama_model* model, llama_token token);

// Special tokens; LLAMA_TOKEN_NULL when the vocabulary has none.
LLAMA_API llama_token llama_token_bos(const struct llama_model* model);  // beginning of a sequence
LLAMA_API llama_token llama_token_eos(const struct llama_model* model);  // end of a sequence
LLAMA_API llama_token llama_token_cls(const struct llama_model* model);  // stands for a whole sentence
LLAMA_API llama_token llama_token_sep(const struct llama_model* model);  // between sentences
LLAMA_API llama_token llama_token_nl(const struct llama_model* model);   // newline
LLAMA_API llama_token llama_token_pad(const struct llama_model* model);
// These three: filling in the middle.
LLAMA_API llama_token llama_token_prefix(const struct llama_model* model);
LLAMA_API llama_token llama_token_middle(const struct llama_model* model);
LLAMA_API llama_token llama_token_suffix(const struct llama_model* model);
LLAMA_API llama_token llama_token_eot(const struct llama_model* model);  // end of a turn

// 1 when the tokenizer puts that token around text, 0 when not.
LLAMA_API int32_t llama_add_bos_token(const struct llama_model* model);
LLAMA_API int32_t llama_add_eos_token(const struct llama_model* model);

// ----------------------------------------------------------------------------------------------------------
// Text and tokens

// Turns text_len bytes of text into tokens. add_special: add those the model wants around text.
// parse_special: recognise control tokens written in the text; leave it off for text from strangers. Returns
// the number of tokens; when that is more than n_tokens_max, minus the number, and nothing useful is in
// tokens; INT32_MIN on other errors.
LLAMA_API int32_t llama_tokenize(const struct llama_model* model, const char* text, int32_t text_len,
                                 llama_token* tokens, int32_t n_tokens_max, bool add_special,
                                 bool parse_special);
LLAMA_API int32_t llama_vocab_tokenize(const struct llama_vocab* vocab, const char* text, int32_t text_len,
                                       llama_token* tokens, int32_t n_tokens_max, bool add_special,
                                       bool parse_special);

// Writes the bytes of one token, which may be part of a character, without terminating zero, leaving out up
// to lstrip leading spaces. Control tokens are empty unless special. Returns the number of bytes, or minus it
// when it exceeds length.
LLAMA_API int32_t llama_token_to_piece(const struct llama_model* model, llama_token token, char* buf,
                                       int32_t length, int32_t lstrip, bool special);
LLAMA_API int32_t llama_token_to_piece_vocab(const struct llama_vocab* vocab, llama_token token, char* buf,
                                             int32_t length, int32_t lstrip, bool special);

// Turns tokens back into text without terminating zero. remove_special: drop the tokens that add_special
// adds. unparse_special: write control tokens out. Returns the number of bytes, or minus it when it exceeds
// text_len_max.
LLAMA_API int32_t llama_detokenize(const struct llama_vocab* vocab, const llama_token* tokens,
                                   int32_t n_tokens, char* text, int32_t text_len_max, bool remove_special,
                                   bool unparse_special);

// Writes a conversation in one of the built-in formats. tmpl is a format's name, or a template's text from
// which the format is recognised (it is not executed). add_ass: end with the beginning of the assistant's
// turn. Returns the length of the whole text, of which up to `length` bytes were written; -1 when the format
// is not known, or tmpl is null.
LLAMA_API int32_t llama_chat_apply_template(const char* tmpl, const struct llama_chat_message* chat,
                                            size_t n_msg, bool add_ass, char* buf, int32_t length);

// Names of the built-in formats: fills up to len and returns how many there are. Static storage.
LLAMA_API int32_t llama_chat_builtin_templates(const char** output, size_t len);

// ----------------------------------------------------------------------------------------------------------
// Adapters and control vectors

// Reads a LoRA file made for this model. Null on failure. Free with llama_lora_adapter_free, or with the
// model.
LLAMA_API struct llama_lora_adapter* llama_lora_adapter_init(struct llama_model* model,
                                                             const char* path_lora);
LLAMA_API void llama_lora_adapter_free(struct llama_lora_adapter* adapter);

// Applies it in a context from the next run on, times scale; again: changes the scale. 0, or -1 on errors.
LLAMA_API int32_t llama_lora_adapter_set(struct llama_context* ctx, struct llama_lora_adapter* adapter,
                                         float scale);
// 0, or -1 when it was not set.
LLAMA_API int32_t llama_lora_adapter_remove(struct llama_context* ctx, struct llama_lora_adapter* adapter);
LLAMA_API void llama_lora_adapter_clear(struct llama_context* ctx);

// Adds a vector to the hidden state after each of the layers il_start .. il_end (both included). data holds
// rows of n_embd floats for layers 1, 2, ..., len floats in all; null takes the vectors away. 0, or 1 when
// n_embd is not the model's or there is no memory.
LLAMA_API int32_t llama_control_vector_apply(struct llama_context* lctx, const float* data, size_t len,
                                             int32_t n_embd, int32_t il_start, int32_t il_end);

// ----------------------------------------------------------------------------------------------------------
// Grammars (GBNF)

// Parses a grammar; grammar_root names the rule to start with. Null when it is wrong: syntax, a missing rule,
// left recursion.
LLAMA_API struct llama_grammar* llama_sampler_init_grammar(const struct llama_vocab* vocab,
                                                           const char* grammar_str, const char* grammar_root);

// The same, but it constrains nothing until a trigger: a token, or text that matches one of the regular
// expressions, in which case it starts at the first group that matched something, else at the whole match.
LLAMA_API struct llama_grammar* llama_sampler_init_grammar_lazy_patterns(
    const struct llama_vocab* vocab, const char* grammar_str, const char* grammar_root,
    const char** trigger_patterns, size_t num_trigger_patterns, const llama_token* trigger_tokens,
    size_t num_trigger_tokens);

LLAMA_DEPRECATED("use llama_sampler_init_grammar_lazy_patterns")
LLAMA_API struct llama_grammar* llama_sampler_init_grammar_lazy(
    const struct llama_vocab* vocab, const char* grammar_str, const char* grammar_root,
    const char** trigger_words, size_t num_trigger_words, const llama_token* trigger_tokens,
    size_t num_trigger_tokens);

LLAMA_API void llama_grammar_init_lazy(struct llama_sampler_grammar* grammar);  // does nothing
LLAMA_API void llama_grammar_free(struct llama_grammar* grammar);
LLAMA_API struct llama_grammar* llama_grammar_copy(const struct llama_grammar* grammar);

// Sets the logit of candidates that the grammar does not allow next to minus infinity. ctx may be null.
LLAMA_API void llama_grammar_apply(const struct llama_grammar* grammar, const struct llama_context* ctx,
                                   llama_token_data_array* candidates);

// Takes note of a token. One that the grammar does not allow is logged and leaves the grammar as it was.
LLAMA_API void llama_grammar_accept_token(struct llama_grammar* grammar, struct llama_context* ctx,
                                          llama_token token);

LLAMA_DEPRECATED("use llama_grammar_apply")
LLAMA_API void llama_sample_grammar(struct llama_context* ctx, llama_token_data_array* candidates,
                                    const struct llama_grammar* grammar);

// ----------------------------------------------------------------------------------------------------------
// Sampling: each changes the candidates in place. ctx is for timings and random numbers and may be null where
// nothing is drawn. min_keep candidates survive in any case. Null or empty candidates are left alone;
// functions that draw then return LLAMA_TOKEN_NULL.

LLAMA_API void llama_set_rng_seed(struct llama_context* ctx, uint32_t seed);

// Sorts, and fills in p so that it sums to 1. llama_sample_dist leaves p unscaled (the largest is 1).
LLAMA_API void llama_sample_softmax(struct llama_context* ctx, llama_token_data_array* candidates);
LLAMA_API void llama_sample_dist(struct llama_context* ctx, llama_token_data_array* candidates);

// Penalises tokens among the last penalty_last_n of last_tokens: positive logits are divided and others
// multiplied by penalty_repeat, then penalty_freq per occurrence and penalty_present are subtracted. 1, 0, 0
// do nothing.
LLAMA_API void llama_sample_repetition_penalties(struct llama_context* ctx,
                                                 llama_token_data_array* candidates,
                                                 const llama_token* last_tokens, size_t penalty_last_n,
                                                 float penalty_repeat, float penalty_freq,
                                                 float penalty_present);

// Classifier-free guidance: turns both rows of llama_n_vocab logits into log-probabilities and moves logits
// away from the guidance: logits = guidance + scale * (logits - guidance).
LLAMA_API void llama_sample_apply_guidance(struct llama_context* ctx, float* logits, float* logits_guidance,
                                           float scale);

// Truncation: keeps only some candidates. The value in brackets, or one beyond it, changes nothing.
//   top_k        the k largest [0]
//   top_p        the fewest that together hold probability p [1]
//   min_p        those with at least p times the probability of the best [0]
//   tail_free    up to where the curve of sorted probabilities flattens [1]
//   typical      those nearest to the expected surprise, together holding p [1]
//   top_n_sigma  logits within n standard deviations of the best [0]
//   xtc          with the given probability, all but the least of those at or above threshold [probability 0]
LLAMA_API void llama_sample_top_k(struct llama_context* ctx, llama_token_data_array* candidates, int32_t k,
                                  size_t min_keep);
LLAMA_API void llama_sample_top_p(struct llama_context* ctx, llama_token_data_array* candidates, float p,
                                  size_t min_keep);
LLAMA_API void llama_sample_min_p(struct llama_context* ctx, llama_token_data_array* candidates, float p,
                                  size_t min_keep);
LLAMA_API void llama_sample_tail_free(struct llama_context* ctx, llama_token_data_array* candidates, float z,
                                      size_t min_keep);
LLAMA_API void llama_sample_typical(struct llama_context* ctx, llama_token_data_array* candidates, float p,
                                    size_t min_keep);
LLAMA_API void llama_sample_top_n_sigma(struct llama_context* ctx, llama_token_data_array* candidates_p,
                                        float top_n_sigma);
LLAMA_API void llama_sample_xtc(struct llama_context* ctx, llama_token_data_array* candidates_p,
                                float probability, float threshold, size_t min_keep);

// Divides logits by temp, or by one between min_temp and max_temp that grows with the entropy of the
// candidates.
LLAMA_API void llama_sample_temp(struct llama_context* ctx, llama_token_data_array* candidates, float temp);
LLAMA_API void llama_sample_entropy(struct llama_context* ctx, llama_token_data_array* candidates_p,
                                    float min_temp, float max_temp, float exponent_val);

// DRY: penalises tokens that would prolong a repetition longer than allowed_length by multiplier *
// base^(excess). The window is penalty_last_n tokens; -1: all, 0: off. Repetitions do not reach across the
// breaker texts. Null when vocab is null.
LLAMA_API struct llama_sampler_dry* llama_sampler_init_dry(const struct llama_vocab* model,
                                                           float dry_multiplier, float dry_base,
                                                           int32_t dry_allowed_length,
                                                           int32_t dry_penalty_last_n,
                                                           const char** seq_breakers, size_t num_breakers);
LLAMA_API void llama_sample_dry(struct llama_context* ctx, struct llama_sampler_dry* smpl,
                                llama_token_data_array* candidates_p);
LLAMA_API void llama_sampler_dry_reset(struct llama_sampler_dry* smpl);
LLAMA_API void llama_sampler_dry_free(struct llama_sampler_dry* smpl);
LLAMA_API struct llama_sampler_dry* llama_sampler_dry_clone(struct llama_sampler_dry* smpl);
LLAMA_API void llama_sampler_dry_accept(struct llama_sampler_dry* smpl, llama_token token);

// Adaptive-p: favours tokens near a target probability and corrects for what was drawn before (decay 0 to
// 0.99 weighs the past). Order for one token: prep on untouched candidates, other samplers,
// llama_sample_adaptive_p, llama_sample_token_adaptive_p. updt_w_cur: note the probability after the other
// samplers instead of the original one. Null when n_vocab < 1. Free with llama_free_adaptive_p.
LLAMA_API struct llama_sampler_adaptive_p* llama_init_adaptive_p(int n_vocab, const float target,
                                                                 const float decay, const bool updt_w_cur,
                                                                 const uint32_t seed);
LLAMA_API void llama_prep_adaptive_p(struct llama_context* ctx, llama_token_data_array* candidates,
                                     struct llama_sampler_adaptive_p* adapt_p_ctx);
LLAMA_API void llama_sample_adaptive_p(struct llama_context* ctx, llama_token_data_array* candidates,
                                       struct llama_sampler_adaptive_p* adapt_p_ctx);
// Tells what became of the last n_unsent tokens drawn: taken back (rewind_status true, they leave the
// history) or still waiting to be shown (false, they stay and can be taken back later).
LLAMA_API void llama_review_adaptive_p(struct llama_sampler_adaptive_p* adapt_p_ctx, const size_t n_unsent,
                                       const bool rewind_status);
LLAMA_API struct llama_sampler_adaptive_p* llama_clone_adaptive_p(
    const struct llama_sampler_adaptive_p* adapt_p_ctx);
LLAMA_API void llama_free_adaptive_p(struct llama_sampler_adaptive_p* adapt_p_ctx);

// Drawing. Mirostat keeps the surprise of tokens near tau, learning with rate eta; *mu starts at 2 * tau and
// is updated.
LLAMA_API llama_token llama_sample_token_mirostat(struct llama_context* ctx,
                                                  llama_token_data_array* candidates, float tau, float eta,
                                                  int32_t m, float* mu);
LLAMA_API llama_token llama_sample_token_mirostat_v2(struct llama_context* ctx,
                                                     llama_token_data_array* candidates, float tau, float eta,
                                                     float* mu);
LLAMA_API llama_token llama_sample_token_greedy(struct llama_context* ctx,
                                                llama_token_data_array* candidates);
LLAMA_API llama_token llama_sample_token(struct llama_context* ctx, llama_token_data_array* candidates);
LLAMA_API llama_token llama_sample_token_adaptive_p(struct llama_context* ctx,
                                                    llama_token_data_array* candidates,
                                                    struct llama_sampler_adaptive_p* adapt_p_ctx);

// A sampler that a program defines itself. Cria only calls reset.
typedef void* llama_sampler_context_t;

struct llama_sampler;

struct llama_sampler_i {
    const char* (*name)(const struct llama_sampler* smpl);
    void (*accept)(struct llama_sampler* smpl, llama_token token);
    void (*apply)(struct llama_sampler* smpl, llama_token_data_array* cur_p);
    void (*reset)(struct llama_sampler* smpl);
    struct llama_sampler* (*clone)(const struct llama_sampler* smpl);
    void (*free)(struct llama_sampler* smpl);
};

struct llama_sampler {
    struct llama_sampler_i* iface;
    llama_sampler_context_t ctx;
};

LLAMA_API void llama_sampler_reset(struct llama_sampler* smpl);  // calls iface->reset where there is one

// ----------------------------------------------------------------------------------------------------------
// Multi-token prediction

LLAMA_API void llama_set_mtp_op_type(struct llama_context* ctx, enum llama_mtp_op_type mtp_op_type);

// The context whose model ctx drafts for, where the draft model reads that one's memory. Null: none.
LLAMA_API void llama_set_mtp_target_context(struct llama_context* ctx, struct llama_context* target);

// The hidden state the next prediction starts from. Not copied: keep it until that llama_decode has returned.
LLAMA_API void llama_set_draft_input_hidden_state(struct llama_context* ctx, const float* hidden_state);

// ----------------------------------------------------------------------------------------------------------
// Names of split files

// Writes "PREFIX-00002-of-00004.gguf" for split_no 1 of split_count 4. Returns its length, or 0 when it does
// not fit in maxlen with its zero or the numbers make no sense.
LLAMA_API int llama_split_path(char* split_path, size_t maxlen, const char* path_prefix, int split_no,
                               int split_count);

// The way back: writes the prefix when split_path is the name of that part, and returns its length; else 0.
LLAMA_API int llama_split_prefix(char* split_prefix, size_t maxlen, const char* split_path, int split_no,
                                 int split_count);

// ----------------------------------------------------------------------------------------------------------
// Timings of a context

LLAMA_API struct llama_timings llama_get_timings(struct llama_context* ctx);  // zeros and ones for null
LLAMA_API void llama_print_timings(struct llama_context* ctx);                // to the log
LLAMA_API void llama_reset_timings(struct llama_context* ctx);
LLAMA_API void llama_dump_timing_info_yaml(FILE* stream, const struct llama_context* ctx);

#ifdef __cplusplus
}

// Decodes UTF-8. utf8: const std::string*; cpts: std::vector<uint32_t>* for the code points; scripts:
// std::vector<std::string>* for the name of each one's script. Returns how many there are.
LLAMA_API size_t llama_fill_from_utf8(void* utf8, void* cpts, void* scripts);
#endif

// ----------------------------------------------------------------------------------------------------------
// For tests and tools in C++ that define LLAMA_API_INTERNAL first

#if defined(LLAMA_API_INTERNAL) && defined(__cplusplus)

#include <random>
#include <string>
#include <utility>
#include <vector>

// Name and view of every tensor of the context's model. Belongs to the model; empty for null.
LLAMA_API const std::vector<std::pair<std::string, struct ggml_tensor*>>& llama_internal_get_tensor_map(
    struct llama_context* ctx);

// As llama_sample_token, with the caller's random numbers.
LLAMA_API llama_token llama_sample_token_with_rng(struct llama_context* ctx,
                                                  llama_token_data_array* candidates, std::mt19937& rng);

#endif
