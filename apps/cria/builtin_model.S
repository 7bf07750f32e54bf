// The built-in model's file as bytes of the program, aligned as tensor data want it.
    .section .rodata
    .balign 64
    .global cria_builtin_model_begin
    .global cria_builtin_model_end
cria_builtin_model_begin:
    .incbin CRIA_MODEL_FILE
cria_builtin_model_end:
    .byte 0
    .section .note.GNU-stack, "", %progbits
